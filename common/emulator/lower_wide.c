/* lower_wide.c - the wider families; see more_rows.h. */
#include "lower.h"

bool lower_async(struct lower *l)
{
    (void)l;
    return false;
}
bool lower_matrix(struct lower *l)
{
    (void)l;
    return false;
}
bool lower_half(struct lower *l)
{
    (void)l;
    return false;
}
bool lower_video(struct lower *l)
{
    (void)l;
    return false;
}
