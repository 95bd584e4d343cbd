/* Pages of docs/ that show code: what they show must stand where they say it does. */
#ifndef WISP_TEST_PAGE_H
#define WISP_TEST_PAGE_H

#include <stddef.h>

/* Each block of code, between ``` and a language's name and ```, stands in one of the files, line for line; there are
 * at least so many. The test is skipped where the page is not here. */
void check_page(const char *page, const char *const *files, size_t count, int least);

#endif
