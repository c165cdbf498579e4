/* hopper_list.c - the cases of ptxhopper. */
#include "hopper.h"

void hopper_cases(void)
{
    wgmma_cases();
    tensor_cases();
    bulk_cases();
    maps_cases();
    arrival_cases();
}
