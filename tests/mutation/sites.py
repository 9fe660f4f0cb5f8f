"""Where C code can be changed by one point so that it still compiles: the sites of a mutation run.

Sites are found in clang's syntax tree (PyPI's libclang). All mutations of a run are compiled into one program; WEFT_MUTANT=K switches
one on, so that nothing is built or linked between two of them. A site is an expression or a statement of a function's body: text that
stands in the file itself, neither made by a macro nor constant.
"""
import re
from dataclasses import dataclass

from clang import cindex
from clang.cindex import CursorKind as K, TypeKind as T


@dataclass(frozen=True)
class Site:
    path: str        # of the file, below the source's root
    function: str
    line: int
    start: int       # bytes of the file
    end: int
    kind: str        # comparison, logic, arithmetic, condition, number, statement
    old: str
    new: str         # what the mutant says
    code: str        # what takes the place of `old`; @ stands for the question whether the mutant is on

    def key(self):
        """What names the site as long as its function is not written anew."""
        squeeze = lambda s: re.sub(r"\s+", " ", s)
        return f"{self.path} {self.function}: {squeeze(self.old)} -> {squeeze(self.new)}"


OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*",
         "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
KINDS = {op: "comparison" if op in ("<", "<=", ">", ">=", "==", "!=") else "logic" if op in ("&&", "||") else "arithmetic" for op in OTHER}
NUMBERS = {T.BOOL, T.CHAR_S, T.CHAR_U, T.SCHAR, T.UCHAR, T.SHORT, T.USHORT, T.INT, T.UINT, T.LONG, T.ULONG, T.LONGLONG, T.ULONGLONG,
           T.FLOAT, T.DOUBLE, T.ENUM}


def _is_number(cursor):
    return cursor.type.get_canonical().kind in NUMBERS


class _File:
    def __init__(self, path, text, flags, root):
        self.path, self.text, self.sites, self.function = path, text, [], ""
        unit = cindex.Index.create().parse(f"{root}/{path}", args=flags)
        errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise SystemExit(f"{path}: {errors[0]}")
        for c in unit.cursor.get_children():
            if c.kind == K.FUNCTION_DECL and c.is_definition() and c.location.file.name == f"{root}/{path}":
                self.function = c.spelling
                for child in c.get_children():
                    if child.kind == K.COMPOUND_STMT and self.stands_here(child):
                        self.walk(child)

    def stands_here(self, body):
        """False for the body of a function that a macro defines."""
        start, end = self.span(body)
        return self.text[start:start + 1] == b"{" and self.text[end - 1:end] == b"}"

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def cut(self, a, b):
        return self.text[a:b].decode()

    def add(self, kind, start, end, new, code):
        line = self.text.count(b"\n", 0, start) + 1
        self.sites.append(Site(self.path, self.function, line, start, end, kind, self.cut(start, end), new, code))

    def walk(self, cursor):
        children = list(cursor.get_children())
        if cursor.kind == K.VAR_DECL and cursor.storage_class == cindex.StorageClass.STATIC:
            return
        if cursor.kind == K.VAR_DECL and cursor.type.get_canonical().kind == T.CONSTANTARRAY:
            return
        if cursor.kind == K.CASE_STMT:
            children = children[1:]
        if cursor.kind in (K.BINARY_OPERATOR,) and len(children) == 2:
            self.operator(cursor, *children)
        if cursor.kind in (K.IF_STMT, K.CONDITIONAL_OPERATOR) and children:
            self.condition(children[0])
        if cursor.kind == K.INTEGER_LITERAL:
            self.number(cursor)
        if cursor.kind == K.COMPOUND_STMT:
            for c in children:
                if c.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR) or (c.kind == K.BINARY_OPERATOR and self.assigns(c)):
                    self.statement(c)
        for c in children:
            self.walk(c)

    def between(self, left, right):
        (_, a), (b, _) = self.span(left), self.span(right)
        return re.sub(r"/\*.*?\*/|\s", "", self.cut(a, b)) if a <= b else None

    def assigns(self, cursor):
        left, right = list(cursor.get_children())
        return self.between(left, right) == "="

    def operator(self, cursor, left, right):
        op = self.between(left, right)
        (start, l_end), (r_start, end) = self.span(left), self.span(right)
        if op not in OTHER or self.span(cursor) != (start, end) or not _is_number(left) or not _is_number(right):
            return
        a, b, old = self.cut(start, l_end), self.cut(r_start, end), self.cut(start, end)
        new = f"{a} {OTHER[op]} {b}"
        self.add(KINDS[op], start, end, new, f"(@ ? ({new}) : ({old}))")

    def condition(self, cursor):
        start, end = self.span(cursor)
        old = self.cut(start, end)
        if re.fullmatch(r"[\w.>\[\]()!&|=<+*/ ,-]+", old) and old.count("(") == old.count(")"):
            self.add("condition", start, end, f"!({old})", f"(@ ? !({old}) : !!({old}))")

    def number(self, cursor):
        start, end = self.span(cursor)
        old = self.cut(start, end)
        if re.fullmatch(r"[0-9]+", old):
            self.add("number", start, end, f"{int(old) + 1}", f"(@ ? {int(old) + 1} : {old})")

    def statement(self, cursor):
        start, end = self.span(cursor)
        old = self.cut(start, end)
        if self.text[end:end + 1] == b";" and old.count("(") == old.count(")") and not old.startswith("assert"):
            self.add("statement", start, end, "nothing", f"if (!@) {old}")


def find(path, root, flags):
    """All sites of a file, in order."""
    text = open(f"{root}/{path}", "rb").read()
    return _File(path, text, flags, root).sites


def rewrite(text, sites, numbers):
    """text with sites switched by their numbers; sites do not overlap."""
    out, at = [b"static int weft_mutant_is(int);\n#line 1\n"], 0
    for s, k in sorted(zip(sites, numbers), key=lambda pair: pair[0].start):
        out += [text[at:s.start], s.code.replace("@", f"weft_mutant_is({k})").encode()]
        at = s.end
    return b"".join(out + [text[at:], SWITCH.encode()])


# What each file with mutants has besides, as it may be linked into several libraries, or alone into a test's program. WEFT_MUTANT: the one that
# is on; WEFT_MUTANT_REACHED: a file with a byte for each, set when its code is reached. No header is included: the file may have functions of its
# own whose names are those of the C library (cmd_convert.c has a `write`), so the library's are declared by other names.
SWITCH = r"""
extern char *weft_mutant_getenv(const char *) __asm__("getenv");
extern int weft_mutant_atoi(const char *) __asm__("atoi");
extern int weft_mutant_open(const char *, int, ...) __asm__("open");
extern long weft_mutant_lseek(int, long, int) __asm__("lseek");
extern void *weft_mutant_mmap(void *, unsigned long, int, int, int, long) __asm__("mmap");
extern int weft_mutant_close(int) __asm__("close");
static char *weft_mutant_file(unsigned long *bytes) {
    const char *path = weft_mutant_getenv("WEFT_MUTANT_REACHED");
    int fd = path ? weft_mutant_open(path, 2 /* O_RDWR */) : -1;
    if (fd < 0) return 0;
    long end = weft_mutant_lseek(fd, 0, 2 /* SEEK_END */);
    void *p = end > 0 ? weft_mutant_mmap(0, (unsigned long)end, 3 /* read and write */, 1 /* MAP_SHARED */, fd, 0) : (void *)-1L;
    weft_mutant_close(fd);
    *bytes = (unsigned long)end;
    return p == (void *)-1L ? 0 : p;
}
static int weft_mutant_is(int k) {
    static int on = -1;
    static char *reached;
    static unsigned long bytes;
    if (on < 0) {
        const char *text = weft_mutant_getenv("WEFT_MUTANT");
        reached = weft_mutant_file(&bytes);
        on = text ? weft_mutant_atoi(text) : 0;
    }
    if (reached && (unsigned long)k < bytes) reached[k] = 1;
    return k == on;
}
"""
