/* json.c - see json.h. */
#include "json.h"
#include "base/alloc.h"
#include "base/text.h"
#include <string.h>

json_t *json_words(const char *s)
{
    json_t *j = json_string(s ? s : "");
    struct text t = {0};

    if (j)
        return j;
    text_printable(&t, s, strlen(s), true);
    j = json_string(text_str(&t));
    text_free(&t);
    return j;
}
