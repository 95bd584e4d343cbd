/* Template expansion (docs/reference/spaces.md): from a kernel text with {{...}} to source with every number written
 * out. Nesting is limited to 64, output to 64 MiB and work to 2^24 pieces; errors name the template and the line. */
#pragma once

#include "expr_tree.h"

/* name is for messages; env is not changed. Appends to out, which a failure leaves as it was. */
wisp_status wisp_expand(wisp_error *err, const char *name, const char *template_text, const wisp_env *env,
                        wisp_text *out);

/* One real literal as templates print it. */
wisp_status wisp_print_real(wisp_error *err, wisp_text *out, double value, int real_bytes);

/* ---- A parsed template: the parser (template.c) makes it and the expander (expand.c) walks it. */

/* Depth of nested blocks and inserted templates, at most, in a text and while it runs. */
enum { WISP_TEMPLATE_DEEPEST = 64 };

typedef enum wisp_piece_kind {
  PIECE_BYTES,  /* bytes as they stand */
  PIECE_NAME,   /* {{name}} */
  PIECE_EXPR,   /* {{= expr}} */
  PIECE_ENTRY,  /* {{name[expr]}} */
  PIECE_INSERT, /* {{>name}} */
  PIECE_LIST,   /* {{#name}} */
  PIECE_FOR,    /* {{#for name in expr}} */
  PIECE_IF      /* {{#if expr}} */
} wisp_piece_kind;

typedef struct wisp_template wisp_template;

/* A name that an insert gives to a part: a number, or all that another name stands for. */
typedef struct wisp_given {
  char *name, *other; /* other: the name that it stands for; NULL: expr's value */
  uint64_t hash;      /* of other */
  wisp_expr *expr;
} wisp_given;

/* Pieces stand in the order of the text; those of a block follow it up to its end, so that a range is a body. */
typedef struct wisp_piece {
  wisp_piece_kind kind;
  int line;
  const char *bytes; /* in the template's text; of a tag: the white space that its line begins with */
  size_t count;
  char *name;
  uint64_t hash; /* of name */
  wisp_expr *expr;
  size_t otherwise, end; /* of a block: its first piece after {{else}} (end where there is none), and after it */
  bool ends_line;        /* a newline follows the tag at once */
  wisp_env *frame;       /* of a loop or what is given, made when it first runs: one text runs at most once at a time */
  wisp_template *inside; /* of PIECE_INSERT: the text that was last inserted, parsed */
  const char *inside_text;
  wisp_given *given; /* of PIECE_INSERT */
  size_t givens;
} wisp_piece;

struct wisp_template {
  const char *name; /* for messages */
  wisp_piece *pieces;
  size_t count, capacity;
  char *takes; /* {{takes NAME ...}}: these names, blanks between them; NULL: the text takes nothing */
};

/* name and text must outlive the template. Errors begin with "name:line: ". */
wisp_status wisp_template_parse(wisp_error *err, const char *name, const char *text, wisp_template **out);
void wisp_template_destroy(wisp_template *template);
WISP_OWNED(wisp_template, wisp_template_destroy)
