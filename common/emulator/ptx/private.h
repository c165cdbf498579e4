/* private.h - what the files of the PTX front end share; nothing else includes it.
 *
 *   arena.c  memory of one module, growing arrays, errors
 *   names.c  interned names, the tables of keywords, scopes and what names mean in them
 *   lex.c    characters to tokens
 *   data.c   constant expressions, variable declarations, initialisers
 *   insn.c   instructions, their suffixes and operands
 *   loc.c    line information: .file, .loc, .section
 *   parse.c  the module: directives, functions, bodies
 *
 * The first error ends the parse: parse_fail() jumps back to ptx_parse(), which frees the
 * arena, so that no function here needs an error path.
 */
#ifndef EMULATOR_PTX_PRIVATE_H
#define EMULATOR_PTX_PRIVATE_H

#include "ptx.h"
#include <setjmp.h>

/* Bounds that keep broken input from exhausting the stack or memory. */
#define MAX_TEXT        (1u << 30) /* bytes of PTX: offsets are 32 bits */
#define MAX_BYTES       (1ull << 30)
#define MAX_NESTING     200 /* { } in a body, ( ) in an expression */
#define MAX_DIMENSIONS  16
#define MAX_FILES       65536
#define MAX_ALIGN       (1u << 20)
#define NAME_TABLE_SIZE 4096 /* first size, a power of two */

/* ---- arena (arena.c) ---- */
struct arena_block { /* one malloc: header, then its bytes */
    struct arena_block *prev, *next;
    size_t size; /* bytes after the header */
    _Alignas(16) unsigned char bytes[];
};

struct arena {
    struct arena_block *blocks;
    struct arena_block *chunk; /* the block small pieces are cut from */
    size_t used;               /* bytes of chunk in use */
};

/* ---- tokens (lex.c) ---- */
enum token_kind { /* one-character punctuation is its own kind */
                  T_EOF,
                  T_IDENT = 256, /* name */
                  T_DOT,         /* ".word" or ".word::word": name without the first dot */
                  T_INT,         /* value, is_unsigned */
                  T_FLOAT,       /* value: bit pattern, width: 32 or 64 */
                  T_STRING,      /* offset and length of what is between the quotes */
                  T_SHL,
                  T_SHR,
                  T_LE,
                  T_GE,
                  T_EQ,
                  T_NE,
                  T_ANDAND,
                  T_OROR,
};

struct token {
    int kind;
    uint32_t line, offset, length; /* place in the text */
    struct name *name;
    uint64_t value;
    uint8_t width;
    bool is_unsigned;
};

/* ---- names (names.c) ---- */
/* clang-format off */
#define PTX_DIRECTIVES(X)                                                                          \
    X(abi_preserve) X(abi_preserve_control) X(address_size) X(alias) X(align) X(attribute)         \
    X(blocksareclusters) X(branchtargets) X(callprototype) X(calltargets) X(common) X(entry)       \
    X(explicitcluster) X(extern) X(file) X(func) X(loc) X(maxclusterrank) X(maxnctapersm)          \
    X(maxnreg) X(maxntid) X(minnctapersm) X(noreturn) X(pragma) X(ptr) X(reg) X(reqnctapercluster) \
    X(reqntid) X(section) X(target) X(version) X(visible) X(weak)
/* clang-format on */

enum directive {
    DIR_none,
#define X(name) DIR_##name,
    PTX_DIRECTIVES(X)
#undef X
};

enum suffix_kind { SUFFIX_NONE, SUFFIX_TYPE, SUFFIX_MOD, SUFFIX_SPACE, SUFFIX_VECTOR, SUFFIX_DROP };
#define SUFFIX_HINT 1 /* of SUFFIX_DROP: takes the last operand along */

/* An identifier or keyword, once per spelling. What it can mean as an opcode, as a suffix
 * and as a directive is fixed; what it means as a symbol is the top of a stack of bindings,
 * innermost scope first. */
struct name {
    const char *text;
    uint32_t length;
    uint32_t hash;
    struct binding *top;
    struct reg_range *ranges; /* with this name as prefix, innermost first */
    uint32_t debug_offset;    /* label in .section .debug_str: offset + 1 */
    uint16_t op;              /* enum ptx_op + 1, 0: none */
    uint8_t suffix_kind;
    uint8_t directive;
    uint16_t suffix; /* type, modifier, space or vector width */
};

enum binding_kind {
    BIND_REG,
    BIND_VECTOR_REG, /* .reg .v4: registers index .. index + count - 1 */
    BIND_VAR,
    BIND_FUNC,
    BIND_LABEL,
    BIND_PROTO,
    BIND_TABLE,
};

struct binding {
    enum binding_kind kind;
    uint32_t depth; /* of its scope: 0 module, 1 function, 2.. nested braces */
    uint32_t index; /* BIND_REG, BIND_VECTOR_REG, BIND_LABEL */
    uint32_t count;
    union {
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_proto *proto;
        struct ptx_branch_table *table;
    };
    struct name *name;
    struct binding *below;         /* the same name in an outer scope */
    struct binding *next_in_scope; /* what to undo when the scope ends */
};

/* ".reg .b32 %r<24>": %r0 to %r23 come to life when first used. */
struct reg_range {
    struct name *prefix;
    uint32_t count, depth;
    enum ptx_type type;
    struct reg_range *below;         /* the same prefix, declared before */
    struct reg_range *next_in_scope; /* what to undo when the scope ends */
};

/* A use of a label (or table or prototype) whose definition may still come. */
struct pending {
    enum binding_kind kind;
    struct name *name;
    struct token where;
    uint32_t insn, operand; /* BIND_LABEL in an instruction, BIND_PROTO, BIND_TABLE */
    uint32_t *slot;         /* BIND_LABEL in a table; else NULL */
    struct pending *next;
};

struct scope {
    struct binding *bindings;
    struct reg_range *ranges;
    struct pending *pending;
};

/* The last .loc seen at each (file, line, column) of a function, for nested inlining. */
struct position {
    uint32_t file, line, column;
    uint32_t func; /* number of the function + 1; 0: unused */
    uint32_t inlined;
};

/* Where .loc says that a function's name stands in .debug_str, for module->inlined. */
struct inlined_name {
    const struct name *label; /* NULL: the section's start */
    uint64_t offset;
};

struct alias { /* .alias name, target; */
    struct token name, target;
    struct alias *next;
};

struct parser {
    struct ptx_module *module;
    struct ptx_error *error;
    jmp_buf failed;
    struct arena arena;

    /* lexer */
    const char *text;
    size_t length, cursor;
    uint32_t line;
    struct token tok, ahead; /* current token and the one after it */

    /* names */
    struct name **names;
    uint32_t nnames, names_size; /* size: power of two */
    struct scope scopes[MAX_NESTING + 2];
    uint32_t depth;

    /* growing arrays: capacities of the module's and the current function's */
    uint32_t vars_cap, funcs_cap, files_cap, inlined_cap;
    uint32_t regs_cap, insns_cap, labels_cap, func_vars_cap;

    /* state */
    struct ptx_func *func;       /* whose body is being read */
    struct ptx_loc loc;          /* from the last .loc */
    uint32_t nesting;            /* of expressions and initialisers */
    uint64_t init_bytes;         /* initialised data so far */
    struct ptx_operand *scratch; /* operands of the lists being read, a stack */
    uint32_t nscratch, scratch_cap;

    /* line information */
    struct inlined_name *inlined_names; /* beside module->inlined */
    uint32_t inlined_names_cap;
    struct position *positions; /* hash table; size: power of two */
    uint32_t npositions, positions_size;
    char *debug_str;
    uint32_t ndebug_str, debug_str_cap;
    uint32_t max_file;

    struct alias *aliases;
};

/* Constant expression: 64-bit signed or unsigned, or floating point (literals only). */
struct constant {
    uint64_t value;
    bool is_unsigned, is_float;
    uint8_t width; /* of a float: 32 or 64 */
};

/* arena.c */
void *arena_alloc(struct parser *p, size_t size); /* zeroed */
const char *arena_text(struct parser *p, const char *text, size_t length);
/* Makes room for element number n (from 0) of an array that grows by doubling; new
 * elements are zeroed. Returns the array. */
void *array_grow(struct parser *p, void *array, uint32_t *capacity, uint32_t n, size_t element);
/* Gives back what an array does not need. */
void *array_trim(struct parser *p, void *array, uint32_t *capacity, uint32_t n, size_t element);
void arena_free(struct arena *a);
void parse_fail(struct parser *p, const struct token *where, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* names.c */
struct name *name_intern(struct parser *p, const char *text, size_t length);
void names_init(struct parser *p);
int mod_find(const char *text, size_t length); /* enum ptx_mod, -1: none */
void scope_enter(struct parser *p, const struct token *where);
void scope_leave(struct parser *p);
/* Gives a name a meaning in the current scope; a second one in the same scope is an error. */
struct binding *bind_token(struct parser *p, const struct token *where, enum binding_kind kind);
struct binding *bind_at(struct parser *p, struct name *name, enum binding_kind kind,
                        uint32_t depth);
/* What a name means here; NULL: nothing. Brings registers of ranges to life. */
struct binding *name_lookup(struct parser *p, struct name *name);
void range_new(struct parser *p, struct name *prefix, uint32_t count, enum ptx_type type);
uint32_t reg_new(struct parser *p, const char *name, enum ptx_type type);
void refer(struct parser *p, enum binding_kind kind, const struct token *where, uint32_t insn,
           uint32_t operand, uint32_t *slot);

/* lex.c */
void lex_start(struct parser *p);
void advance(struct parser *p);
bool accept_token(struct parser *p, int kind);
void expect(struct parser *p, int kind, const char *what);
bool at_directive(const struct parser *p, enum directive d);
bool accept_directive(struct parser *p, enum directive d);
/* Text of a token for messages, shortened: "'%r1'". */
const char *token_text(struct parser *p, const struct token *t);

/* data.c */
struct constant parse_constant(struct parser *p);
struct constant parse_constant_term(struct parser *p); /* binds like '*' */
uint64_t parse_uint(struct parser *p, uint64_t max, const char *what);
struct var_flags {
    bool is_extern, is_visible, is_weak, is_common;
};
bool at_space(const struct parser *p);
void parse_variables(struct parser *p, struct var_flags flags);
struct ptx_var *parse_parameter(struct parser *p, struct ptx_func *owner);

/* loc.c */
void parse_file(struct parser *p);
void parse_loc(struct parser *p);
void parse_section(struct parser *p);
void finish_locations(struct parser *p);

/* insn.c */
void parse_instruction(struct parser *p);

#endif
