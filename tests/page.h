/* Pages of docs/ that are held to what they say: their blocks become files, their commands are run, and what they show
 * must be there. Fails the test where the page has not what is asked for. */
#pragma once

#include <stddef.h>

typedef struct page {
  const char *path;
  char *text;
} page;

/* Tests run in the root of the tree. */
page page_read(const char *path);
void page_free(page *p);

/* Writes the indented block below the heading "`NAME`:" into folder/NAME, making the folders of NAME. */
void page_write_file(const page *p, const char *folder, const char *name);

/* Runs the page's indented lines that begin with "wisp " or "export " one after the other in a folder, and gives
 * everything that they print; the caller frees it. A tune's line gets `tune` behind it, and its budget is a test's. */
char *page_run(const page *p, const char *folder, const char *tune);

/* The indented lines between two headings that are no commands stand in the output, but for blanks at their ends; at
 * least `least` of them. */
void page_check_shown(const page *p, const char *from, const char *to, const char *output, int least);

/* The place of these words in the page. */
const char *page_find(const page *p, const char *words);

/* Each block that a page shows between lines of ``` stands so in one of the files, at most 8; at least `least` blocks.
 * The test is skipped where the page is not here. */
void check_page(const char *path, const char *const *files, size_t count, int least);
