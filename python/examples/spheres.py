"""
From spheres to W in ten lines
==============================

A row of spheres that touch each other; the first stands on the ground.
"""

# sphinx_gallery_thumbnail_path = "figures/graph.svg"
import ldy
import numpy as np

count, radius, up = 5, 0.5, np.array([0, 0, 1.0])
system = ldy.System()
spheres = system.add_rigid(mass=np.ones(count), inertia=0.4 * radius**2)
system.add_point_constraints(spheres, [ldy.GROUND, *spheres[:-1]], np.eye(3), -radius * up, radius * up)
system.set_velocity(spheres, [0, 0, 0, 0, 0, -1])
system.update(h=1.0)
R, report = system.solve(0.5)

print("W along the normals:", system.results().to_dense()[2::3, 2::3], "free velocities:", system.results().B[2::3], sep="\n")
print("forces:", R[2::3].round(6), report.status)
