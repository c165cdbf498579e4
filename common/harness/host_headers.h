/* host_headers.h - headers that nvcc finds for host code, and that NVRTC has not: what to use. */
#ifndef HARNESS_HOST_HEADERS_H
#define HARNESS_HOST_HEADERS_H

#include <stddef.h>

/* The header's name, of so many bytes. NULL: it is no such header. */
const char *host_header(const char *name, size_t length);

#endif
