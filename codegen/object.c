/* object.c: LLVM's object file laid out as one block.
 *
 * Code and constants are laid out one section after the other; what refers from one to another is settled here, since
 * distances within the block are fixed. What is called from outside goes through a stub of two instructions, which
 * jumps to where the slot after it points. Sources: the System V ABI, AMD64 supplement, 4.4.1; ELF for the Arm 64-bit
 * architecture, 5.7.
 */
#include <elf.h>
#include <string.h>
#include "base/context.h"
#include "codegen/object.h"

enum { STUB_BYTES = 16, SLOT_AT = 8 }; /* a stub: code, then its slot */
#define NOWHERE UINT64_MAX

typedef struct linker {
    weft_context *cx;
    weft_arena *arena;      /* the image's */
    const uint8_t *file;
    const Elf64_Shdr *sections; uint32_t section_count;
    const char *section_names, *symbol_names;
    const Elf64_Sym *symbols; uint32_t symbol_count;
    uint64_t *section_at;   /* by section: where it lies in the block, or NOWHERE */
    uint64_t *stub_at;      /* by symbol: its stub, or NOWHERE */
    uint32_t import_count;
    uint8_t *block;
    uint64_t bytes;
} linker;

static weft_status unknown(linker *l, const char *what, unsigned number) {
    return weft_report(l->cx, WEFT_D_internal, NULL, "LLVM's code has a %s that is not expected: %u", what, number);
}

static bool is_kept(const linker *l, const Elf64_Shdr *s) {
    const char *name = l->section_names + s->sh_name;
    return s->sh_flags & SHF_ALLOC && s->sh_type == SHT_PROGBITS && s->sh_size && strcmp(name, ".eh_frame");
}

static uint64_t aligned(uint64_t n, uint64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }

static weft_status open_file(linker *l, size_t bytes) {
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)l->file;
    if (bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64)
        return unknown(l, "file header", 0);
    l->sections = (const Elf64_Shdr *)(l->file + h->e_shoff);
    l->section_count = h->e_shnum;
    l->section_names = (const char *)l->file + l->sections[h->e_shstrndx].sh_offset;
    for (uint32_t i = 0; i < l->section_count; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (s->sh_type != SHT_SYMTAB) continue;
        l->symbols = (const Elf64_Sym *)(l->file + s->sh_offset);
        l->symbol_count = (uint32_t)(s->sh_size / sizeof *l->symbols);
        l->symbol_names = (const char *)l->file + l->sections[s->sh_link].sh_offset;
    }
    l->section_at = weft_arena_array(&l->cx->scratch, uint64_t, l->section_count);
    l->stub_at = weft_arena_array(&l->cx->scratch, uint64_t, l->symbol_count);
    return l->section_at && l->stub_at ? WEFT_OK : weft_oom();
}

/* ---- where everything lies ---- */

static weft_status place_sections(linker *l) {
    for (uint32_t i = 0; i < l->section_count; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        l->section_at[i] = NOWHERE;
        if (s->sh_flags & SHF_WRITE && s->sh_size) return unknown(l, "section of variables", i);
        if (!is_kept(l, s)) continue;
        l->section_at[i] = aligned(l->bytes, s->sh_addralign);
        l->bytes = l->section_at[i] + s->sh_size;
    }
    return WEFT_OK;
}

/* Relocations of section i, if it holds those of one that is kept; *of is that one. */
static const Elf64_Rela *relocations(const linker *l, uint32_t i, uint32_t *of, uint64_t *count) {
    const Elf64_Shdr *s = &l->sections[i];
    if (s->sh_type != SHT_RELA || l->section_at[s->sh_info] == NOWHERE) return NULL;
    *of = s->sh_info;
    *count = s->sh_size / sizeof(Elf64_Rela);
    return (const Elf64_Rela *)(l->file + s->sh_offset);
}

static void place_stubs(linker *l) {
    for (uint32_t i = 0; i < l->symbol_count; i++) l->stub_at[i] = NOWHERE;
    l->bytes = aligned(l->bytes, STUB_BYTES);
    for (uint32_t i = 0; i < l->section_count; i++) {
        uint32_t of;
        uint64_t count;
        const Elf64_Rela *r = relocations(l, i, &of, &count);
        for (uint64_t k = 0; r && k < count; k++) {
            const uint32_t symbol = (uint32_t)ELF64_R_SYM(r[k].r_info);
            if (l->symbols[symbol].st_shndx != SHN_UNDEF || l->stub_at[symbol] != NOWHERE) continue;
            l->stub_at[symbol] = l->bytes;
            l->bytes += STUB_BYTES;
            l->import_count++;
        }
    }
}

static void write_stub(uint8_t *at) {
#if defined __x86_64__
    static const uint8_t code[SLOT_AT] = { 0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc }; /* jmp *2(%rip) */
#else
    static const uint8_t code[SLOT_AT] = { 0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6 }; /* ldr x16, .+8; br x16 */
#endif
    memcpy(at, code, sizeof code);
    memset(at + SLOT_AT, 0, STUB_BYTES - SLOT_AT);
}

static weft_status fill_block(linker *l) {
    l->block = weft_arena_alloc(l->arena, l->bytes ? l->bytes : 1, WEFT_IMAGE_ALIGN);
    if (!l->block) return weft_oom();
    memset(l->block, 0, l->bytes);
    for (uint32_t i = 0; i < l->section_count; i++)
        if (l->section_at[i] != NOWHERE)
            memcpy(l->block + l->section_at[i], l->file + l->sections[i].sh_offset, l->sections[i].sh_size);
    for (uint32_t i = 0; i < l->symbol_count; i++)
        if (l->stub_at[i] != NOWHERE) write_stub(l->block + l->stub_at[i]);
    return WEFT_OK;
}

/* ---- references ---- */

/* What a relocation says: `place` refers to `target`, or to the slot that holds its address; offsets in the block. */
typedef struct reference {
    uint32_t type;
    uint64_t place, target, slot; /* slot NOWHERE: the symbol is in the block */
    int64_t addend;
} reference;

static weft_status put(linker *l, const reference *r, int64_t v, uint32_t bytes) {
    if (bytes == 4 && v != (int32_t)v) return unknown(l, "reference too far away", r->type);
    memcpy(l->block + r->place, &v, bytes);
    return WEFT_OK;
}

#if defined __x86_64__

static weft_status settle(linker *l, const reference *r) {
    const int64_t distance = (int64_t)(r->target - r->place) + r->addend;
    switch (r->type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32: return put(l, r, distance, 4);
    case R_X86_64_PC64: return put(l, r, distance, 8);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        if (r->slot == NOWHERE) break;
        return put(l, r, (int64_t)(r->slot - r->place) + r->addend, 4);
    default: break;
    }
    return unknown(l, "relocation", r->type);
}

#else

/* Bits of an instruction; the rest of it stays. */
static weft_status insert(linker *l, const reference *r, uint32_t mask, uint32_t bits) {
    uint32_t code;
    memcpy(&code, l->block + r->place, sizeof code);
    code = (code & ~mask) | (bits & mask);
    memcpy(l->block + r->place, &code, sizeof code);
    return WEFT_OK;
}

/* adrp: the distance in pages, in two pieces. */
static weft_status pages(linker *l, const reference *r, uint64_t to) {
    const int64_t n = (int64_t)(to >> 12) - (int64_t)(r->place >> 12);
    if (n >= 1 << 20 || n < -(1 << 20)) return unknown(l, "reference too far away", r->type);
    return insert(l, r, 0x60ffffe0u, ((uint32_t)n & 3) << 29 | ((uint32_t)n >> 2 & 0x7ffff) << 5);
}

static weft_status low_bits(linker *l, const reference *r, uint64_t to, uint32_t scale) {
    return insert(l, r, 0x3ffc00u, (uint32_t)(to & 0xfff) >> scale << 10);
}

static weft_status settle(linker *l, const reference *r) {
    const uint64_t to = r->target + (uint64_t)r->addend;
    const int64_t distance = (int64_t)(to - r->place);
    switch (r->type) {
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        if (distance >= 1 << 27 || distance < -(1 << 27)) return unknown(l, "reference too far away", r->type);
        return insert(l, r, 0x3ffffffu, (uint32_t)(distance >> 2));
    case R_AARCH64_PREL32: return put(l, r, distance, 4);
    case R_AARCH64_PREL64: return put(l, r, distance, 8);
    case R_AARCH64_ADR_PREL_PG_HI21: return pages(l, r, to);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return low_bits(l, r, to, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC: return low_bits(l, r, to, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC: return low_bits(l, r, to, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC: return low_bits(l, r, to, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC: return low_bits(l, r, to, 4);
    case R_AARCH64_ADR_GOT_PAGE:
        if (r->slot != NOWHERE) return pages(l, r, r->slot);
        break;
    case R_AARCH64_LD64_GOT_LO12_NC:
        if (r->slot != NOWHERE) return low_bits(l, r, r->slot, 3);
        break;
    default: break;
    }
    return unknown(l, "relocation", r->type);
}

#endif

static weft_status settle_one(linker *l, uint32_t section, const Elf64_Rela *rela) {
    const uint32_t number = (uint32_t)ELF64_R_SYM(rela->r_info);
    const Elf64_Sym *symbol = &l->symbols[number];
    reference r = { .type = (uint32_t)ELF64_R_TYPE(rela->r_info), .place = l->section_at[section] + rela->r_offset,
                    .slot = NOWHERE, .addend = rela->r_addend };
    if (symbol->st_shndx == SHN_UNDEF) {
        r.target = l->stub_at[number];
        r.slot = r.target + SLOT_AT;
    } else {
        if (symbol->st_shndx >= l->section_count || l->section_at[symbol->st_shndx] == NOWHERE)
            return unknown(l, "symbol", symbol->st_shndx);
        r.target = l->section_at[symbol->st_shndx] + symbol->st_value;
    }
    return settle(l, &r);
}

static weft_status settle_all(linker *l) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < l->section_count; i++) {
        uint32_t of;
        uint64_t count;
        const Elf64_Rela *r = relocations(l, i, &of, &count);
        for (uint64_t k = 0; r && k < count && st == WEFT_OK; k++) st = settle_one(l, of, &r[k]);
    }
    return st;
}

/* ---- what the image says of itself ---- */

static weft_status find_function(linker *l, weft_image *out) {
    weft_image_function *f = weft_arena_new(l->arena, weft_image_function);
    if (!f) return weft_oom();
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        const Elf64_Sym *s = &l->symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
            strcmp(l->symbol_names + s->st_name, CG_OBJECT_FUNCTION))
            continue;
        *f = (weft_image_function){ l->section_at[s->st_shndx] + s->st_value, s->st_size };
        out->functions = f;
        out->function_count = 1;
        return WEFT_OK;
    }
    return unknown(l, "number of functions", 0);
}

static weft_status list_imports(linker *l, weft_image *out) {
    weft_image_import *m = weft_arena_array(l->arena, weft_image_import, l->import_count);
    uint32_t n = 0;
    if (!m) return weft_oom();
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        if (l->stub_at[i] == NOWHERE) continue;
        const char *name = l->symbol_names + l->symbols[i].st_name;
        m[n].slot = l->stub_at[i] + SLOT_AT;
        if (!(m[n++].name = weft_arena_strdup(l->arena, name, strlen(name)))) return weft_oom();
    }
    out->imports = m;
    out->import_count = n;
    return WEFT_OK;
}

weft_status cg_object_image(weft_context *cx, const void *file, size_t bytes, weft_arena *arena, weft_image *out) {
    linker l = { .cx = cx, .arena = arena, .file = file };
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = open_file(&l, bytes);
    if (st == WEFT_OK) st = place_sections(&l);
    if (st == WEFT_OK) place_stubs(&l);
    if (st == WEFT_OK) st = fill_block(&l);
    if (st == WEFT_OK) st = settle_all(&l);
    if (st == WEFT_OK) st = find_function(&l, out);
    if (st == WEFT_OK) st = list_imports(&l, out);
    weft_arena_reset(&cx->scratch, mark);
    if (st != WEFT_OK) return st;
    out->machine = weft_image_machine();
    out->block = l.block;
    out->bytes = l.bytes;
    return WEFT_OK;
}

/* ---- several images as one ---- */

/* aarch64 refers to constants by pages, so that a block is moved by whole ones. */
static uint64_t image_align(void) {
#if defined __x86_64__
    return 64;
#else
    return WEFT_IMAGE_ALIGN;
#endif
}

weft_status cg_images_join(weft_arena *arena, const weft_image *images, uint32_t n, weft_image *out) {
    uint64_t bytes = 0;
    uint32_t imports = 0;
    for (uint32_t i = 0; i < n; i++) {
        bytes = aligned(bytes, image_align()) + images[i].bytes;
        imports += images[i].import_count;
    }
    uint8_t *block = weft_arena_alloc(arena, bytes ? bytes : 1, WEFT_IMAGE_ALIGN);
    weft_image_function *f = weft_arena_array(arena, weft_image_function, n);
    weft_image_import *m = weft_arena_array(arena, weft_image_import, imports);
    *out = (weft_image){ .block = block, .bytes = bytes, .functions = f, .function_count = n, .imports = m,
                         .import_count = imports };
    if (!block || !f || !m) return weft_oom();
    memset(block, 0, bytes);
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const weft_image *x = &images[i];
        at = aligned(at, image_align());
        if (x->bytes) memcpy(block + at, x->block, x->bytes);
        if (x->function_count) f[i] = (weft_image_function){ at + x->functions[0].offset, x->functions[0].bytes };
        for (uint32_t k = 0; k < x->import_count; k++, m++) {
            const char *name = x->imports[k].name;
            m->slot = at + x->imports[k].slot;
            if (!(m->name = weft_arena_strdup(arena, name, strlen(name)))) return weft_oom();
        }
        at += x->bytes;
    }
    return WEFT_OK;
}
