// A host in C++: compiles against the headers, links, assembles.
#include <cstdio>
#include <vector>

#include "ldy_host.h"

int main ()
{
  std::vector<double> conf (12), velo (12), x (18);
  int p[] = { 0, 9, 18 }, i[] = { 0, 3, 6 };
  MX inverse = MX ();
  BODY body = BODY ();
  CON con = CON ();
  DOM dom = DOM ();
  SET sentinel = SET (), set = SET ();

  for (int d = 0; d < 9; d += 4) conf[d] = con.base[d] = x[d] = x[9 + d] = 1;
  inverse.kind = MXBD;
  inverse.m = 6;
  inverse.n = 2;
  inverse.nzmax = 18;
  inverse.p = p;
  inverse.i = i;
  inverse.x = x.data ();
  body.kind = RIG;
  body.dofs = 6;
  body.conf = conf.data ();
  body.velo = velo.data ();
  body.inverse = &inverse;
  sentinel.l = sentinel.r = &sentinel;
  set.l = set.r = &sentinel;
  set.data = &con;
  body.con = &set;
  con.kind = FIXPNT;
  con.master = &body;
  con.mpnt[0] = 1;
  dom.step = 0.5;
  dom.con = &con;
  dom.bod = &body;

  LOCDYN *ldy = LOCDYN_Create (&dom);
  con.dia = LOCDYN_Insert (ldy, &con, con.master, con.slave);
  LOCDYN_Update_Begin (ldy);
  std::printf ("W = %g %g %g\n", con.dia->W[0], con.dia->W[4], con.dia->W[8]);
  LOCDYN_Destroy (ldy);
  return 0;
}
