# The programs, and the sources of each: names in a folder, legacy or system, or else in support.
#
# To add a test program, add its line `objects.NAME := ...` here, and `arguments.NAME` in the Makefile if it needs them. Nothing else
# lists the test programs: `make test`, valgrind and the sanitizers run all of them.

source = $(if $(wildcard $(HERE)/$(1)/$(2).c),$(1),support)/$(2).o
legacy = $(foreach name,$(1),$(call source,legacy,$(name)))
system = $(foreach name,$(1),$(call source,system,$(name)))
support = $(1:%=support/%.o)

LINKING := contact_dynamics minimal own_operators library_operators legacy_object operators_only shadow_example
# Programs that are no tests by themselves.
TOOLS := replay assemble_scene processors

HOST := $(call support,host/host host/set host/matrix)
SCENE := $(call support,scene random compare check error_observer dense element) $(HOST)
SEQUENCE := $(call legacy,sequence rebuild_compare digest list_model mesh_builder) $(SCENE)
CALLS := $(call system,calls visits joint_model model random failing_allocator check)
SNAPSHOT := $(call support,snapshot deviation dense element) $(HOST)

objects.reference_side := $(call legacy,reference_side snapshot) $(SCENE)
objects.symbolic := $(call legacy,symbolic check) $(HOST)
objects.operators := $(call legacy,operators mesh_builder) $(SCENE)
objects.update := $(call legacy,update rebuild_compare output_capture host/hooks) $(SCENE)
objects.finite_elements := $(call legacy,finite_elements mesh_builder small_stack host/hooks) $(SCENE)
objects.cohesion := $(call legacy,cohesion check error_observer host/hooks) $(HOST)
objects.errors := $(call legacy,errors error_routes error_cases mesh_builder output_capture host/hooks) $(SCENE)
objects.errors_bare := $(call legacy,errors_bare error_routes error_cases mesh_builder output_capture) $(SCENE)
objects.allocation_failures := $(call legacy,allocation_failures failing_allocator output_capture mesh_builder host/hooks) $(SCENE)
objects.insertion_orders := $(call legacy,insertion_orders failing_allocator rebuild_compare list_model mesh_builder) $(SCENE)
objects.random_sequences := $(call legacy,random_sequences) $(SEQUENCE)
objects.random_meshes := $(call legacy,random_meshes mesh_population) $(SEQUENCE)
objects.random_shadows := $(call legacy,random_shadows mesh_population) $(SEQUENCE)
objects.shadow_steps := $(call legacy,shadow_steps mesh_builder) $(SCENE)
objects.snapshot_errors := $(call legacy,snapshot_errors check) $(SNAPSHOT)
objects.text_files := $(call legacy,text_files text_model recorded_text check error_observer scene random host/hooks) $(SNAPSHOT)
objects.zeros := $(call legacy,zeros compare_clone text_model mesh_builder) $(SCENE)
objects.clone := $(call legacy,clone compare_clone host/hooks snapshot) $(SCENE)
objects.consistency := $(call legacy,consistency check scene random dense element) $(HOST)
objects.shadow := $(call legacy,shadow shadow_lists shadow_finds recorded_rows guarded check host/hooks) $(SNAPSHOT)
objects.threads := $(call legacy,threads process_threads large_scene digest mesh_builder) $(SCENE)
objects.thread_allocations := $(call legacy,thread_allocations failing_allocator large_scene digest mesh_builder) $(SCENE)
objects.callbacks := $(call system,callbacks process_threads check)
objects.locdyn_rows := $(call legacy,locdyn_rows failing_allocator check host/hooks) $(SNAPSHOT)
objects.processors := $(call legacy,processors digest host/hooks snapshot) $(SCENE)
objects.levels := $(call legacy,levels large_scene digest mesh_builder) $(SCENE)
objects.reuse := $(call legacy,reuse rebuild_compare large_scene digest mesh_builder) $(SCENE)
objects.reuse_pairs := $(call legacy,reuse_pairs rebuild_compare large_scene digest mesh_builder host/hooks) $(SCENE)
objects.recovery := $(call legacy,recovery spoiled_call error_cases rebuild_compare large_scene digest mesh_population mesh_builder) $(SCENE)
objects.history := $(call legacy,history failing_allocator digest mesh_builder host/hooks) $(SCENE)
objects.stats := $(call legacy,stats) $(SCENE)
objects.cycles := $(call legacy,cycles large_scene digest mesh_builder) $(SCENE)
objects.traps := $(call legacy,traps large_scene digest mesh_builder host/hooks snapshot) $(SCENE)
objects.bad_input := $(call legacy,bad_input error_cases mesh_builder snapshot) $(SCENE)
objects.factor_allocations := $(call legacy,factor_allocations failing_allocator digest host/hooks snapshot) $(SCENE)
objects.long_run := $(call legacy,long_run) $(SCENE)
objects.system_faces := $(call system,faces) $(SCENE)
objects.system_stability := $(call system,stability small_stack check)
objects.system_solve := $(call system,solve small_stack check)
objects.system_direct := $(call system,direct small_stack check)
objects.system_bulk := $(call system,bulk check)
objects.system_laws := $(call system,laws check)
objects.system_sync := $(call system,sync failing_allocator check)
objects.system_inventory := $(call system,inventory check)
objects.system_contact_models := $(call system,contact_models check)
objects.system_joints := $(call system,joints joint_model model random failing_allocator check)
objects.system_world := $(call system,world check)
objects.system_bodies := $(call system,bodies check)
objects.system_errors := $(call system,errors check)
objects.system_allocations := $(call system,allocations failing_allocator check)
objects.rows_products := $(call system,rows_products random check)
objects.system_models := $(call system,models failing_allocator check)
objects.system_rows := $(call system,rows failing_allocator check)
objects.system_rows_solve := $(call system,rows_solve failing_allocator check)
objects.system_conflict := $(call system,conflict failing_allocator check)
objects.system_derivatives := $(call system,derivatives failing_allocator check)
objects.system_gradient := $(call system,gradient failing_allocator check)
objects.system_batch := $(call system,batch failing_allocator check)
objects.system_solution_set := $(call system,solution_set failing_allocator check)
objects.system_files := $(call system,files check)
objects.system_problem_file := $(call system,problem_file check)
objects.build_info := $(call system,build_info failing_allocator check)
objects.struct_sizes := $(call system,struct_sizes) $(SCENE)
objects.system_random := $(call system,random_calls) $(CALLS)
objects.fuzz_system := $(call system,fuzz_system fuzz) $(CALLS)
objects.fuzz_legacy := $(call legacy,fuzz_legacy fuzz spoiled_call error_cases mesh_population) $(SEQUENCE)
objects.replay := $(call legacy,replay host/hooks) $(SNAPSHOT)
objects.assemble_scene := examples/assemble_scene.o examples/pattern.o $(SNAPSHOT)

# Only if libfclib is installed; tests/fclib.rs finds out.
ifneq ($(shell pkg-config --exists fclib 2>/dev/null && echo yes),)
  TOOLS += fclib_example
  objects.fclib := $(call system,fclib check) examples/fclib_problem.o
  objects.fclib_example := examples/fclib.o examples/fclib_problem.o $(SNAPSHOT)
  libraries.fclib := $(shell pkg-config --libs fclib)
  libraries.fclib_example := $(libraries.fclib)
  $(addprefix $(BUILD)/,system/fclib.o examples/fclib.o examples/fclib_problem.o): CPPFLAGS += $(shell pkg-config --cflags fclib)
endif

# Only if libode is installed.
ifneq ($(shell pkg-config --exists ode 2>/dev/null && echo yes),)
  TOOLS += measure_ode
  ODE := $(addprefix examples/ode/,host.o scenes.o)
  objects.ode := $(call system,ode check) $(ODE)
  objects.measure_ode := examples/ode/measure.o $(ODE)
  libraries.ode := $(shell pkg-config --libs ode) -lm
  libraries.measure_ode := $(libraries.ode)
  $(addprefix $(BUILD)/,system/ode.o examples/ode/measure.o $(ODE)): CPPFLAGS += $(shell pkg-config --cflags ode)
endif

objects.contact_dynamics := examples/contact_dynamics.o examples/contact_step.o
objects.minimal := examples/minimal.o
objects.own_operators := $(call support,host/operators) link/own_operators.o $(HOST)
objects.library_operators := link/library_operators.o $(HOST)
objects.legacy_object := $(call support,host/locdyn) link/legacy_object.o $(HOST)
objects.shadow_example := examples/shadow.o examples/legacy_module.o $(HOST)
objects.operators_only := link/operators_only.o

# Every other program is a test.
TESTS := $(filter-out $(TOOLS) $(LINKING),$(patsubst objects.%,%,$(sort $(filter objects.%,$(.VARIABLES)))))
PROGRAMS := $(TESTS) $(TOOLS)

comma := ,
wrap = $(addprefix -Wl$(comma)--wrap=,$(1))
# Programs in which allocations fail.
FAILING := allocation_failures factor_allocations build_info system_allocations locdyn_rows system_models system_rows system_rows_solve system_derivatives system_gradient system_batch system_solution_set \
  system_conflict system_sync system_joints system_random fuzz_system thread_allocations history insertion_orders
$(foreach name,$(FAILING),$(eval flags.$(name) := $(call wrap,malloc calloc realloc posix_memalign aligned_alloc free)))
flags.shadow := $(call wrap,malloc calloc realloc free)
