// The unit square of two materials as an unstructured mesh of triangles, and two refinements of it: plate0.msh, plate1.msh, plate2.msh
// beside this file. gmsh plate.geo -
General.NumThreads = 1;
h = 0.2;
Point(1) = {0, 0, 0, h}; Point(2) = {0.5, 0, 0, h}; Point(3) = {1, 0, 0, h};
Point(4) = {1, 1, 0, h}; Point(5) = {0.5, 1, 0, h}; Point(6) = {0, 1, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1}; Line(7) = {2, 5};
Curve Loop(1) = {1, 7, 5, 6}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 3, 4, -7}; Plane Surface(2) = {2};
Physical Curve("bottom", 1) = {1, 2};
Physical Curve("right", 2) = {3};
Physical Curve("top", 3) = {4, 5};
Physical Curve("left", 4) = {6};
Physical Surface("glass", 5) = {1};
Physical Surface("steel", 6) = {2};
Mesh 2;
Save "plate0.msh";
RefineMesh;
Save "plate1.msh";
RefineMesh;
Save "plate2.msh";
