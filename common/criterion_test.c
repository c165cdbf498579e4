/* criterion_test.c - what Criterion starts in each test's process, and no test needs.
 *
 * Its diffs of texts, which are of an interface that no test here uses, come from libgit2, which
 * reads all of the system's certificates as it starts: half the processor time of a test that
 * does little. A program's own functions go before a library's.
 */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}
