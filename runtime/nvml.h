/* The clock of a GPU while it works, from NVIDIA's management library, where there is one. For people to read beside a
 * measurement: nothing depends on it. */
#ifndef WISP_NVML_H
#define WISP_NVML_H

typedef struct wisp_nvml wisp_nvml;

/* The GPU by its PCI bus ("0000:1b:00.0", as the driver names it). The library is $WISP_NVML, else libnvidia-ml.so.1;
 * NULL where it is not there or does not know the GPU. Takes milliseconds. */
wisp_nvml *wisp_nvml_open(const char *bus);
/* The multiprocessors' clock now, in MHz; NaN where it is unknown, also of NULL. */
double wisp_nvml_clock_mhz(const wisp_nvml *nvml);
void wisp_nvml_close(wisp_nvml *nvml); /* NULL is fine */

#endif
