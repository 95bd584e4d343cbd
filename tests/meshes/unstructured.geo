// The unit box as an unstructured mesh, and two refinements of it: 0.msh, 1.msh, 2.msh beside this file. gmsh unstructured.geo -
General.NumThreads = 1;
Point(1) = {0, 0, 0, 0.4};
x[] = Extrude {1, 0, 0} { Point{1}; };
y[] = Extrude {0, 1, 0} { Curve{x[1]}; };
z[] = Extrude {0, 0, 1} { Surface{y[1]}; };
Mesh 3;
Save "0.msh";
RefineMesh;
Save "1.msh";
RefineMesh;
Save "2.msh";
