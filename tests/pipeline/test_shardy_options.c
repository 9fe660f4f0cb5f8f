/* Command lines for Shardy's tool: Weft has each of its passes and pipelines under its name, with its options under
 * their names. Source: shardy/dialect/sdy/transforms, passes.td of common, import, propagation and export; the
 * *_pipeline.cc. */
#include <stdio.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "tests/support/suite.h"

#define SPREAD \
    "keep-sharding-rules=false module-dump-directory=/tmp/d conservative-propagation=false debug-sharding-origins=false debug-propagation-edge-sharding=false"

/* With every option of the pass, at its default. */
static const char *const specs[] = {
    "sdy-inline-meshes",
    "sdy-flatten-call-graph",
    "sdy-import-func-calls=add-data-flow-edges-on-named-computations=true",
    "sdy-propagate-sharding-from-func-to-call",
    "sdy-lift-inlined-meshes",
    "sdy-add-data-flow-edges",
    "sdy-add-func-data-flow-edges",
    "sdy-apply-sharding-constraints=debug-sharding-origins=false debug-propagation-edge-sharding=false",
    "sdy-constant-or-scalar-splitter",
    "sdy-pre-order-funcs",
    "sdy-sharding-group-import",
    "sdy-manual-axes-cleanup",
    "sdy-remove-size-one-axes",
    "sdy-explicit-gather-scatter-batching",
    "sdy-basic-propagate=" SPREAD,
    "sdy-aggressive-propagate=propagation-strategy=aggressive " SPREAD,
    "sdy-op-priority-propagate=run-op-priority-propagation=true propagation-strategy=aggressive " SPREAD,
    "sdy-user-priority-propagate=run-op-priority-propagation=true propagation-strategy=aggressive " SPREAD,
    "sdy-populate-op-sharding-rules=conservative-propagation=false",
    "sdy-sharding-constraint-to-reshard",
    "sdy-sink-data-flow-edges=sink-debug-sharding-origins=false sink-debug-propagation-edge-sharding=false",
    "sdy-sink-func-data-flow-edges",
    "sdy-update-non-divisible-input-output-shardings",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-insert-explicit-reshards=enable-full-version=false",
    "sdy-verify-unreduced-axes",
    "sdy-resolve-permutation-factors=enable-halo-exchange=true replica-count=1 partition-count=1",
    "sdy-reshard-to-collectives=keep-redundant-reshards=false",
    "sdy-pad-for-divisibility",
    "sdy-remove-all-gather-reduce-scatter-for-cmv1",
    "sdy-remove-sharding-groups",
    "sdy-close-shardings",
    "sdy-drop-sharding-rules",
    "sdy-drop-sharding-and-mesh",
    "sdy-constant-or-scalar-merger",
    "sdy-remove-propagation-debug-info",
    "sdy-convert-global-to-local=per-dim-all-gather=false combine-multi-dimension-reduce-scatter=false enable-rgv3=false replica-count=1 partition-count=1",
    "sdy-export-named-computations",
    "sdy-propagate-to-func-results",
    "sdy-unflatten-call-graph=dedup-functions-fully=false",
    "sdy-insert-func-call-reshards",
    "sdy-resolve-single-device-sharding=replica-count=1 partition-count=1",
    "sdy-import-pipeline=dedup-functions-fully=false",
    "sdy-propagation-pipeline=dedup-functions-fully=false",
    "sdy-export-pipeline=avoid-export-for-partitioning=false enable-insert-explicit-collectives=false "
    "remove-all-gather-reduce-scatter-for-cmv1=false keep-sharding-rules=false dump-sharding-origins=false dump-propagation-edges=false "
    "avoid-reshards-on-calls=false update-non-divisible-input-output-shardings=true inline-meshes=true dump-directory=/tmp/d "
    "enable-per-instruction-partitioning=false per-instruction-partitioning-filter=dot,selectLow=3 replica-count=1 partition-count=1",
    "sdy-per-instruction-partitioning=filter='dot, selectLow=0, selectHigh=10' enable-halo-exchange=true replica-count=1 partition-count=1",
};

static void ck_taken(const char *spec, weft_status want) {
    weft_context *cx = weft_context_new(NULL);
    weft_status st = weft_pipeline_check(cx, weft_str_from(spec));
    ck_assert_msg(st == want, "%s: %s", spec,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "nothing is said");
    weft_context_free(cx);
}

START_TEST(takes_shardys_options) { ck_taken(specs[_i], WEFT_OK); }
END_TEST

START_TEST(takes_no_others) {
    char spec[1024];
    snprintf(spec, sizeof spec, "%s%sno-such-option", specs[_i], strchr(specs[_i], '=') ? " " : "=");
    ck_taken(spec, WEFT_ERR_USAGE);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/shardy_options");
    TCase *tc = tcase_create("specs");
    tcase_add_loop_test(tc, takes_shardys_options, 0, WEFT_COUNT(specs));
    tcase_add_loop_test(tc, takes_no_others, 0, WEFT_COUNT(specs));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
