/* The memory of tasks, of random lists with runs inside, against a sum for each task. */
#include "cost/timeline.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { MOST_TASKS = 12, MOST_BUFFERS = 20 };

static weft_context *cx;
static weft_value values[MOST_BUFFERS];

static void fill(weft_rng *rng, weft_task_list *list, int depth) {
    const uint32_t n = weft_rng_below(rng, MOST_TASKS + 1), k = weft_rng_below(rng, MOST_BUFFERS);
    weft_task *tasks = weft_arena_array(&cx->arena, weft_task, n);
    weft_task_buffer *buffers = weft_arena_array(&cx->arena, weft_task_buffer, k);
    for (uint32_t t = 0; t < n; t++) {
        if (depth == 0 || weft_rng_below(rng, 4)) continue;
        tasks[t].body_count = 1 + weft_rng_below(rng, 2);
        weft_task_list *bodies = weft_arena_array(&cx->arena, weft_task_list, tasks[t].body_count);
        for (uint32_t b = 0; b < tasks[t].body_count; b++) fill(rng, &bodies[b], depth - 1);
        tasks[t].bodies = bodies;
    }
    for (uint32_t i = 0; i < k; i++) { /* some end before they begin, or after the list */
        buffers[i].first = weft_rng_below(rng, MOST_TASKS + 1);
        buffers[i].last = weft_rng_below(rng, MOST_TASKS + 2);
        buffers[i].bytes = weft_rng_below(rng, 1000);
        buffers[i].value = &values[i];
    }
    list->tasks = tasks;
    list->task_count = n;
    list->buffers = buffers;
    list->buffer_count = k;
}

static double slow_peak(const weft_task_list *list);

static double slow_at(const weft_task_list *list, uint32_t t) {
    double live = 0, within = 0;
    for (uint32_t i = 0; i < list->buffer_count; i++)
        if (list->buffers[i].first <= t && t <= list->buffers[i].last) live += list->buffers[i].bytes;
    for (uint32_t b = 0; b < list->tasks[t].body_count; b++) {
        const double p = slow_peak(&list->tasks[t].bodies[b]);
        if (p > within) within = p;
    }
    return live + within;
}

static double slow_peak(const weft_task_list *list) {
    double most = 0;
    for (uint32_t t = 0; t < list->task_count; t++)
        if (slow_at(list, t) > most) most = slow_at(list, t);
    return most;
}

START_TEST(random_lists) {
    for (uint64_t i = 0; i < (uint64_t)weft_test_long(300); i++) {
        const unsigned long long seed = weft_test_seed(1) + i;
        weft_rng rng = { seed };
        weft_task_list list = { 0 };
        weft_task_memory memory;
        double bytes[MOST_TASKS + 1], live = 0;
        cx = weft_context_new(NULL);
        fill(&rng, &list, 2);
        ck_assert_int_eq(weft_task_memory_each(&list, &cx->arena, bytes), WEFT_OK);
        for (uint32_t t = 0; t < list.task_count; t++)
            ASSERT_EACH(bytes[t] == slow_at(&list, t), "seed %llu, task %u: %g", seed, t, bytes[t]);
        ck_assert_int_eq(weft_task_memory_of(&list, &cx->arena, &memory), WEFT_OK);
        ASSERT_EACH(memory.bytes == slow_peak(&list), "seed %llu: %g", seed, memory.bytes);
        for (size_t k = 0; k < memory.live_count; k++) live += memory.live[k].bytes;
        ASSERT_EACH(list.task_count == 0 || live == memory.bytes, "seed %llu: %g of %g", seed, live, memory.bytes);
        weft_context_free(cx);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/task_memory");
    TCase *tc = tcase_create("memory");
    tcase_add_test(tc, random_lists);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
