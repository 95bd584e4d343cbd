// The unit square as an unstructured mesh of triangles, h the length of its edges (0.0245: 3 956 triangles), square.msh beside it:
// gmsh -2 -setnumber h 0.0245 square.geo
General.NumThreads = 1;
Point(1) = {0, 0, 0, h};
x[] = Extrude {1, 0, 0} { Point{1}; };
y[] = Extrude {0, 1, 0} { Curve{x[1]}; };
Physical Curve("edge") = {1, 2, 3, 4};
Physical Surface("all") = {y[1]};
Mesh 2;
