/* Template expansion: from a kernel text with {{...}} to source with every number written out.
 *
 *   {{name}}                      an integer or text from the environment
 *   {{= expr}}                    an integer expression
 *   {{name[expr]}}                an entry of a table: integers plainly, reals as a literal of the precision that the
 *                                 name `real_bytes` holds (4: 9 digits and the suffix f; 8: 17 digits), always with a
 *                                 point or exponent, negatives in parentheses
 *   {{#name}}...{{/name}}         a list: once per item, the item's names in scope, and `index`, `first`, `last` (0/1)
 *   {{#for i in expr}}...{{/for}} i = 0 .. expr-1, and first, last
 *   {{#if expr}}...{{else}}...{{/if}}   (else optional)
 *   {{! comment }}                nothing
 *   {{>name}}                     the text value `name`, expanded as a template itself (parts, system flux texts);
 * messages call it by the text value "name file" where there is one
 *   {{>name A=D k=2*i}}           the same, with names of its own: A stands for all that D stands for outside (a table,
 * a list, a text, a number), k for the value of an integer expression, which has no blanks here
 *   {{takes A k}}                 in such a text, on a line of its own: the names that it must be given, and no others
 *   {{\}}                         at the end of a line: the next line, without the blanks it begins with, belongs to it
 *
 * A tag that opens, closes, comments or takes and stands alone on its line takes the line with it. Text inserted by
 * {{name}} or {{>name}} that has several lines keeps the indentation of the tag's line, and a newline at its end is
 * dropped where the line of the template ends at the tag too. An item's own names come before index, first and last.
 *
 * An undefined name, an unclosed or mismatched block, an index out of a table: an error with template name and line.
 * Nesting is limited to 64, output to 64 MiB and work to 2^24 pieces (error, not crash).
 */
#pragma once

#include "expr.h"

/* name is for messages; env is not changed. Appends to out, which a failure leaves as it was. */
wisp_status wisp_expand(wisp_error *err, const char *name, const char *template_text, const wisp_env *env,
                        wisp_text *out);

/* One real literal as templates print it. */
wisp_status wisp_print_real(wisp_error *err, wisp_text *out, double value, int real_bytes);
