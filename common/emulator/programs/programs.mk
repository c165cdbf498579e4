# Programs that must run unmodified: nvcc builds them, warprun runs them (run.sh).
# Only where there is an nvcc; the labs need none.
PROGRAMS_DIR := common/emulator/programs
PROGRAMS_CU := $(patsubst $(PROGRAMS_DIR)/%.cu,%,$(wildcard $(PROGRAMS_DIR)/*.cu))
# cuFFT's header and library are of a toolkit; the wheels in .venv are without
ifeq ($(wildcard $(CUDA)/include/cufft.h),)
PROGRAMS_CU := $(filter-out fft,$(PROGRAMS_CU))
endif
ifeq ($(wildcard $(CUDA)/include/nccl.h /usr/include/nccl.h /usr/local/include/nccl.h),)
PROGRAMS_CU := $(filter-out nccl,$(PROGRAMS_CU))
endif
PROGRAMS_BIN := $(addprefix $B/programs/,$(filter-out split_% plugin,$(PROGRAMS_CU)) split copies static noptx \
    plugin.so plugin_main)
PROGRAMS_NVCC = $(CUDA)/bin/nvcc -std=$(NVCC_STD) -arch=$(NVCC_ARCH) -cudart shared
NVCC_ARCH = sm_90
# As C++17 the host's headers are a third larger: for those alone whose own headers ask for it.
NVCC_STD = c++14
$(addprefix $B/programs/,algorithms groups language): NVCC_STD = c++17

ifneq ($(filter test-programs,$(MAKECMDGOALS)),) # g++; a machine with a GPU is taken as it is
$(PROGRAMS_BIN): | build/deps-test.ok
endif
$B/programs/%: $(PROGRAMS_DIR)/%.cu
	@mkdir -p $(@D)
	$(Q)$(PROGRAMS_NVCC) $(NVCC_FLAGS) $^ -o $@
# PTX alone: of so many kernels ptxas takes seconds, and a driver compiles those that it runs
$B/programs/algorithms: NVCC_ARCH = compute_90
$B/programs/per_thread: NVCC_FLAGS = --default-stream per-thread
# device code that the device runtime's library is linked to, on a GPU
$B/programs/graph_nodes: NVCC_FLAGS = -rdc=true
$(addprefix $B/programs/,graph_answers child_answers device_graph_answers): NVCC_FLAGS = -rdc=true
$B/programs/fft: NVCC_FLAGS = -lcufft
$B/programs/nccl: NVCC_FLAGS = -L$(CUDA)/lib -lnccl
$B/programs/split: $(PROGRAMS_DIR)/split_main.cu $(PROGRAMS_DIR)/split_other.cu
	@mkdir -p $(@D)
	$(Q)$(PROGRAMS_NVCC) -rdc=true $^ -o $@
$B/programs/children: NVCC_FLAGS = -rdc=true
$B/programs/static: $(PROGRAMS_DIR)/vector_add.cu
	@mkdir -p $(@D)
	$(Q)$(CUDA)/bin/nvcc -arch=sm_90 $^ -o $@
$B/programs/noptx: $(PROGRAMS_DIR)/vector_add.cu
	@mkdir -p $(@D)
	$(Q)$(CUDA)/bin/nvcc -gencode arch=compute_90,code=sm_90 -cudart shared $^ -o $@
$B/programs/copies: $(PROGRAMS_DIR)/copies.c
	@mkdir -p $(@D)
	$(Q)$(CC) -I$(CUDA)/include $^ -L$(CUDA)/lib64 -lcudart -o $@
$B/programs/plugin.so: $(PROGRAMS_DIR)/plugin.cu
	@mkdir -p $(@D)
	$(Q)$(PROGRAMS_NVCC) -Xcompiler -fPIC -shared $^ -o $@
$B/programs/plugin_main: $(PROGRAMS_DIR)/plugin_main.c
	@mkdir -p $(@D)
	$(Q)$(CC) $^ -L$(CUDA)/lib64 -Wl,--no-as-needed -lcudart -ldl -o $@
test-programs: emulator $(PROGRAMS_BIN)
	$(Q)$(PROGRAMS_DIR)/run.sh $B
# the same on a GPU: what they say of errors, limits and libraries is true there
test-gpu-programs: $(PROGRAMS_BIN)
	$(Q)$(ON_gpu) $(PROGRAMS_DIR)/run.sh $B gpu
ifneq ($(wildcard $(CUDA)/bin/nvcc),)
SUITES += programs
test-gpu: $(if $(GPU),test-gpu-programs)
endif
.PHONY: test-programs test-gpu-programs
