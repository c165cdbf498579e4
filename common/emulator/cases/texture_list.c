/* texture_list.c - the cases of ptxtexture. */
#include "texture.h"

void hopper_cases(void)
{
    surface_cases(); /* first: it forks, which no process that has used a GPU may */
    fetch_cases();
    count_cases();
    array_cases();
}
