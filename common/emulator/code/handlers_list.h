/* handlers_list.h - every handler's name, once, as H(name).
 *
 * Included with H defined by whoever wants a list: an enumeration (handlers.h), names
 * (handlers.c), declarations and a table per instruction-set level (exec_table.c).
 */
#define ROW_NAME(name, ...) H(name)
ALU1_ROWS(ROW_NAME)
ALU2_ROWS(ROW_NAME)
ALU3_ROWS(ROW_NAME)
#undef ROW_NAME
#define CMP_NAME(t, ...) H(setp_##t) H(set_##t)
CMP_TYPES(CMP_NAME)
#undef CMP_NAME
CONTROL_HANDLERS(H)
PREDICATE_HANDLERS(H)
MEMORY_HANDLERS(H)
WARP_HANDLERS(H)
FLOAT_HANDLERS(H)
MISC_HANDLERS(H)
HALF_HANDLERS(H)
MMA_HANDLERS(H)
ASYNC_HANDLERS(H)
VIDEO_HANDLERS(H)
