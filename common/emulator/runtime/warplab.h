/* warplab.h - what the drop-in runtime offers beyond CUDA's own API.
 *
 * A program looks these up with dlsym(RTLD_DEFAULT, "warplab…"): they are there on the
 * emulator and absent on a GPU, which is also how a program can tell.
 */
#ifndef WARPLAB_H
#define WARPLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sum of a counter (a name of counters.h) over all launches since the last
 * warplabReset(). UINT64_MAX for a name that does not exist. */
uint64_t warplabCounter(const char *name);
/* Modelled time of those launches and of libraries' functions, ms, without copies and gaps. */
double warplabModelledMs(void);
/* Modelled time from warplabReset() until all work issued since is done: copies, gaps and what
 * overlaps, as the streams order it. */
double warplabSpanMs(void);
/* Of the work issued last, when it begins and ends, ms since warplabReset(). */
void warplabLastWork(double *start_ms, double *end_ms);
/* What bounds the last launch in the model, its theoretical occupancy 0..1 and limiter. */
const char *warplabBound(void);
double warplabOccupancy(void);
const char *warplabOccupancyLimiter(void);
void warplabReset(void);
/* The host has touched so many bytes of managed memory from p on: those that lay on the device have
 * moved back, page by page, in modelled time. On its own the emulator does not see that. */
void warplabHostTouch(const void *p, uint64_t bytes);

/* Findings of the checks (--check), and errors, since the start, oldest first. Each is one JSON
 * object:
 * {"kind":"shared-race","kernel":…,"file":…,"line":…,"block":[x,y,z],"thread":[x,y,z],
 *  "address":…,"space":…,"size":…,"message":…,"other":{"line":…,"thread":…}}. */
size_t warplabFindingCount(void);
const char *warplabFinding(size_t i);

/* What is not printed on stderr, since the program tells it: 1 faults and findings, 2 refused
 * launches, too; 0 nothing. */
void warplabSetQuiet(int level);

/* Turns the checks on (1), off (0), or (2) on for races, barriers and unwritten words of shared
 * memory in a few blocks of each launch, which warplabSetTurns() draws; for launches from now on.
 * Returns the former setting. While a program has turned them on itself, findings and faults are
 * for it to read and say: they are not printed on stderr as well (leaks, found at exit, are). */
int warplabSetCheck(int on);
/* Limit on steps a launch (see warplabSteps()), 0 for none; returns the former one. */
uint64_t warplabSetSteps(uint64_t steps);
/* What all launches with a limit have taken of theirs so far: warp instructions, and of what takes
 * long as many more as it takes. */
uint64_t warplabSteps(void);
/* Before each launch of a schedule of several streams, by the thread that launches: which of the
 * launches since the first of them are over when it begins, a bit each, in their order. NULL: the
 * schedule has ended. Checks then find what two launches do in one place and nothing orders. */
void warplabOrder(const uint64_t *before);
/* Turns the sample that modelled times rest on, off or on for launches from now on; returns the
 * former setting. Without it times are made of counts alone: for runs that nobody times. */
int warplabSetSample(int on);
/* Which blocks that is: 0, at first, fixed ones; else those that follow from this number and the
 * grid, so that no kernel can know them. Returns the former one. */
uint64_t warplabSetSampleAt(uint64_t at);
/* Launches from now on flip bits in what the named classes of instructions bring (names of
 * emulator/base/disturb.h, separated by spaces; "" or NULL: none), always the same ones: results
 * that stay as they were do not depend on it. 0, or -1 for a name that does not exist. */
int warplabSetDisturb(const char *classes);
/* Which orders those are in which blocks and warps come where `reordered` is among the classes:
 * they follow from this number. Returns the former one, 0 at first. */
uint64_t warplabSetTurns(uint64_t from);
/* What the variables of all modules hold, those in constant memory aside, copied to `to` or taken
 * from `from`, where these are not NULL; how many bytes it is. While nothing runs. */
size_t warplabVariables(void *to, const void *from);
/* Kernels cannot tell by numbers how much ran before: grids count from 1, and memory has the
 * addresses that it would have had. What kernels have allocated and left is freed, and then
 * modules' variables hold what they were loaded with. Findings so far are forgotten, and those that
 * warplabFinding() gave out are no longer there. While nothing runs. */
void warplabRenew(void);
/* From now on shared variables lie side by side in checked launches, too, as on a GPU: a kernel
 * cannot tell by them that it is checked, and what runs past one's end into the next is not seen.
 */
void warplabSetSideBySide(int on);
/* From now on %globaltimer goes on with %clock, so that a kernel cannot tell by it how long the
 * emulator takes. */
void warplabSetTimeless(int on);
/* From now on messages call what cudaMalloc gave at p by this name: "in[1004], of 1001 elements"
 * of `element` bytes each. elements may be 0: every access is then past its end. -1: nothing
 * was allocated there. */
int warplabName(const void *p, const char *name, unsigned element, uint64_t elements);
/* Bytes of nothing behind every later cudaMalloc, so that what runs past the end of an array is
 * told as that array's; returns the former setting, 0 at first. */
uint64_t warplabSetGap(uint64_t bytes);
/* There are at least n devices from now on, 16 at most; returns how many there are then. */
int warplabSetDevices(int n);
/* cudaDeviceReset(), after which the device can be used also when a kernel has faulted: no GPU
 * does that (cudaErrorDevicesUnavailable). */
void warplabRevive(void);
/* The device can be used on, with all that is in it, though a kernel has faulted. */
void warplabForgive(void);
/* Per-source-line counters of launches since warplabReset(), as JSON; caller frees. */
char *warplabLines(void);
/* The same by PTX instruction, which no #line can merge: an object for each that was executed, with
 * its function, the number of its statement there, file and line. */
char *warplabInstructions(void);
/* Of launches that disturb "compared", since the last call: a line for each comparison whose
 * operands were the same in all threads (exec/compared.h); caller frees. */
char *warplabCompared(void);
/* Likewise of launches that disturb "outcomes": how instructions turned out in a few blocks
 * (exec/outcomes.h). */
char *warplabOutcomes(void);
/* Records the memory accesses and active masks of one block of the next launch of
 * `kernel` to FILE (JSON lines; trace.c says which). 0 on success. */
int warplabTrace(const char *kernel, unsigned block, const char *file);
/* Prints which instructions of a PTX file, fatbin or program are exact, approximate or not
 * supported. 0: all of it can run; 1: not all; 2: cannot be read. */
int warplabSupport(const char *path);
/* "warplab emulator 2.0.0 (h200, 2 threads)". */
const char *warplabVersion(void);

#ifdef __cplusplus
}
#endif
#endif
