/* symbols_object.c: an ELF object file in memory: a section that stands for code which lies elsewhere, and its symbols.
 * Layout: header, section headers, symbols, strings. */
#include <elf.h>
#include <stddef.h>
#include <string.h>
#include "exec/symbols.h"

#if defined __aarch64__
#define MACHINE EM_AARCH64
#elif defined __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_NONE
#endif

enum { NONE, TEXT, SYMBOLS, STRINGS, SECTIONS };

/* Names of sections, which the strings begin with. */
static const char section_names[] = "\0.text\0.symtab\0.strtab";
enum { NAME_TEXT = 1, NAME_SYMBOLS = 7, NAME_STRINGS = 15 };

typedef struct object {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Sym symbols[]; /* the first is none, as ELF has it; then the strings */
} object;

static void put_header(Elf64_Ehdr *h) {
    static const unsigned char ident[EI_NIDENT] = {
        ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT, ELFOSABI_NONE,
    };
    *h = (Elf64_Ehdr){ .e_type = ET_REL, .e_machine = MACHINE, .e_version = EV_CURRENT,
                       .e_shoff = offsetof(object, sections), .e_ehsize = sizeof *h, .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = SECTIONS, .e_shstrndx = STRINGS };
    memcpy(h->e_ident, ident, sizeof ident);
}

static void put_sections(Elf64_Shdr *s, const weft_mapping *code, uint32_t n, size_t strings) {
    const size_t symbols = (n + 1) * sizeof(Elf64_Sym);
    s[NONE] = (Elf64_Shdr){ 0 };
    s[TEXT] = (Elf64_Shdr){ .sh_name = NAME_TEXT, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                            .sh_addr = (uintptr_t)code->at, .sh_offset = sizeof(object), .sh_size = code->bytes,
                            .sh_addralign = 16 };
    s[SYMBOLS] = (Elf64_Shdr){ .sh_name = NAME_SYMBOLS, .sh_type = SHT_SYMTAB, .sh_offset = offsetof(object, symbols),
                               .sh_size = symbols, .sh_link = STRINGS, .sh_info = 1, .sh_addralign = 8,
                               .sh_entsize = sizeof(Elf64_Sym) };
    s[STRINGS] = (Elf64_Shdr){ .sh_name = NAME_STRINGS, .sh_type = SHT_STRTAB,
                               .sh_offset = offsetof(object, symbols) + symbols, .sh_size = strings,
                               .sh_addralign = 1 };
}

weft_status weft_symbols_object(weft_arena *arena, const weft_mapping *code, const weft_symbol *v, uint32_t n,
                                const void **out, uint64_t *bytes) {
    size_t strings = sizeof section_names, at = strings;
    for (uint32_t i = 0; i < n; i++) strings += strlen(v[i].name) + 1;
    *bytes = sizeof(object) + (n + (uint64_t)1) * sizeof(Elf64_Sym) + strings;
    object *o = weft_arena_alloc(arena, *bytes, _Alignof(object));
    if (!o) return weft_oom();
    put_header(&o->header);
    put_sections(o->sections, code, n, strings);
    char *text = (char *)&o->symbols[n + (size_t)1];
    memcpy(text, section_names, sizeof section_names);
    o->symbols[0] = (Elf64_Sym){ 0 };
    for (uint32_t i = 0; i < n; i++) {
        o->symbols[i + 1] = (Elf64_Sym){ .st_name = (Elf64_Word)at, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                         .st_shndx = TEXT, .st_value = v[i].offset, .st_size = v[i].bytes };
        strcpy(text + at, v[i].name);
        at += strlen(v[i].name) + 1;
    }
    *out = o;
    return WEFT_OK;
}
