/* Structures of our own as programs have them that are compiled already: fields stay where they are, new ones come at the end of
 * structures that begin with their size. See docs/upgrading/abi.md. */
#include <stddef.h>

#include "ldy_host.h"
#include "ldy_system.h"

#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]
#define AT(type, field, offset) HOLDS (type##_at_##field, offsetof (type, field) == (offset))
#define ENDS(type, field, size) extern type type##_object; HOLDS (type##_ends, \
  sizeof (type) == (size) && offsetof (type, field) + sizeof (type##_object.field) == (size))

AT (ldy_stats, size, 0);
AT (ldy_stats, rows, 8);
AT (ldy_stats, blocks, 16);
AT (ldy_stats, row_bytes, 24);
AT (ldy_stats, block_bytes, 32);
AT (ldy_stats, operator_bytes, 40);
AT (ldy_stats, factor_bytes, 48);
AT (ldy_stats, scratch_bytes, 56);
AT (ldy_stats, factorisations, 64);
AT (ldy_stats, factors_reused, 72);
AT (ldy_stats, velocities_time, 80);
AT (ldy_stats, operators_time, 88);
AT (ldy_stats, solves_time, 96);
AT (ldy_stats, diagonal_time, 104);
AT (ldy_stats, pairs_time, 112);
AT (ldy_stats, external_blocks, 120);
AT (ldy_stats, messages, 128);
AT (ldy_stats, message_bytes, 136);
ENDS (ldy_stats, message_bytes, 144);

AT (ldy_report, size, 0);
AT (ldy_report, code, 8);
AT (ldy_report, constraint, 16);
AT (ldy_report, neighbour, 24);
AT (ldy_report, body, 32);
AT (ldy_report, text, 40);
AT (ldy_report, largest, 552);
AT (ldy_report, condition, 608);
AT (ldy_report, time, 616);
ENDS (ldy_report, time, 624);

AT (ldy_tolerance, size, 0);
AT (ldy_tolerance, V, 8);
AT (ldy_tolerance, B, 16);
AT (ldy_tolerance, W, 24);
AT (ldy_tolerance, A, 32);
AT (ldy_tolerance, rho, 40);
AT (ldy_tolerance, block, 48);
AT (ldy_tolerance, free_energy, 56);
ENDS (ldy_tolerance, free_energy, 64);

AT (ldy_rows, size, 0);
AT (ldy_rows, rows, 8);
AT (ldy_rows, blocks, 12);
AT (ldy_rows, starts, 16);
AT (ldy_rows, columns, 24);
AT (ldy_rows, values, 32);
AT (ldy_rows, B, 40);
AT (ldy_rows, V, 48);
AT (ldy_rows, diagonal, 56);
AT (ldy_rows, inverse, 64);
AT (ldy_rows, constraints, 72);
AT (ldy_rows, scalar_starts, 80);
AT (ldy_rows, value_starts, 88);
AT (ldy_rows, diagonal_starts, 96);
AT (ldy_rows, scalars, 104);
AT (ldy_rows, entries, 112);
AT (ldy_rows, external, 120);
ENDS (ldy_rows, external, 128);

AT (ldy_contact_solver_options, size, 0);
AT (ldy_contact_solver_options, tolerance, 8);
AT (ldy_contact_solver_options, measure, 16);
AT (ldy_contact_solver_options, method, 20);
AT (ldy_contact_solver_options, max_sweeps, 24);
AT (ldy_contact_solver_options, normal_first, 28);
AT (ldy_contact_solver_options, time_limit, 32);
AT (ldy_contact_solver_options, progress, 40);
AT (ldy_contact_solver_options, data, 48);
AT (ldy_contact_solver_options, max_work, 56);
AT (ldy_contact_solver_options, canonical, 64);
ENDS (ldy_contact_solver_options, reserved, 72);

AT (ldy_contact_solver_report, size, 0);
AT (ldy_contact_solver_report, status, 8);
AT (ldy_contact_solver_report, sweeps, 12);
AT (ldy_contact_solver_report, steps, 16);
AT (ldy_contact_solver_report, worst, 20);
AT (ldy_contact_solver_report, residual, 24);
AT (ldy_contact_solver_report, natural_residual, 32);
AT (ldy_contact_solver_report, scaled_residual, 40);
AT (ldy_contact_solver_report, initial_residual, 48);
AT (ldy_contact_solver_report, seconds, 56);
AT (ldy_contact_solver_report, history, 64);
AT (ldy_contact_solver_report, history_count, 72);
AT (ldy_contact_solver_report, work, 80);
ENDS (ldy_contact_solver_report, work, 88);

AT (ldy_inertia, size, 0);
AT (ldy_inertia, kind, 8);
AT (ldy_inertia, n, 12);
AT (ldy_inertia, values, 16);
AT (ldy_inertia, starts, 24);
AT (ldy_inertia, rows, 32);
AT (ldy_inertia, count, 40);
AT (ldy_inertia, mass, 48);
AT (ldy_inertia, apply_inverse, 56);
AT (ldy_inertia, data, 64);
AT (ldy_inertia, release, 72);
ENDS (ldy_inertia, release, 80);

AT (ldy_matrix, size, 0);
AT (ldy_matrix, rows, 8);
AT (ldy_matrix, columns, 16);
AT (ldy_matrix, values, 24);
AT (ldy_matrix, row_stride, 32);
AT (ldy_matrix, column_stride, 40);
AT (ldy_matrix, starts, 48);
AT (ldy_matrix, counts, 56);
AT (ldy_matrix, indices, 64);
AT (ldy_matrix, count, 72);
ENDS (ldy_matrix, count, 80);

AT (ldy_critical_step, size, 0);
AT (ldy_critical_step, omega_squared, 8);
AT (ldy_critical_step, step, 16);
AT (ldy_critical_step, constraint, 24);
AT (ldy_critical_step, share, 32);
ENDS (ldy_critical_step, share, 40);

AT (ldy_error_info, size, 0);
AT (ldy_error_info, code, 8);
AT (ldy_error_info, constraint, 16);
AT (ldy_error_info, body, 24);
AT (ldy_error_info, entry, 32);
AT (ldy_error_info, row, 40);
ENDS (ldy_error_info, row, 48);

AT (ldy_stabilization, size, 0);
AT (ldy_stabilization, erp, 8);
AT (ldy_stabilization, slop, 16);
AT (ldy_stabilization, max_speed, 24);
AT (ldy_stabilization, restitution, 32);
AT (ldy_stabilization, bounce_speed, 40);
ENDS (ldy_stabilization, bounce_speed, 48);

AT (ldy_friction_curve, size, 0);
AT (ldy_friction_curve, static_friction, 8);
AT (ldy_friction_curve, kinetic_friction, 16);
AT (ldy_friction_curve, stribeck_speed, 24);
AT (ldy_friction_curve, viscous, 32);
AT (ldy_friction_curve, stick_speed, 40);
ENDS (ldy_friction_curve, stick_speed, 48);

AT (ldy_hunt_crossley, size, 0);
AT (ldy_hunt_crossley, stiffness, 8);
AT (ldy_hunt_crossley, exponent, 16);
AT (ldy_hunt_crossley, damping, 24);
AT (ldy_hunt_crossley, least_penetration, 32);
ENDS (ldy_hunt_crossley, least_penetration, 40);

AT (ldy_sync_report, size, 0);
AT (ldy_sync_report, kept, 8);
AT (ldy_sync_report, inserted, 16);
AT (ldy_sync_report, removed, 24);
AT (ldy_sync_report, first_inserted, 32);
ENDS (ldy_sync_report, first_inserted, 40);

/* These never grow. */
AT (ldy_differences, V, 0);
AT (ldy_differences, B, 8);
AT (ldy_differences, W, 16);
AT (ldy_differences, A, 24);
AT (ldy_differences, rho, 32);
AT (ldy_differences, block, 40);
AT (ldy_differences, free_energy, 48);
ENDS (ldy_differences, free_energy, 56);

AT (ldy_operator, n, 0);
AT (ldy_operator, starts, 8);
AT (ldy_operator, rows, 16);
AT (ldy_operator, values, 24);
AT (ldy_operator, count, 32);
ENDS (ldy_operator, count, 40);

AT (ldy_law, kind, 0);
AT (ldy_law, friction, 8);
AT (ldy_law, friction_2, 16);
AT (ldy_law, cohesion, 24);
AT (ldy_law, rolling_friction, 32);
AT (ldy_law, torsional_friction, 40);
AT (ldy_law, lower, 48);
AT (ldy_law, upper, 96);
AT (ldy_law, bias, 144);
ENDS (ldy_law, bias, 192);

AT (ldy_joint, kind, 0);
AT (ldy_joint, length, 8);
ENDS (ldy_joint, length, 16);
