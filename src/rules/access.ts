/**
 * Access to the variables of rules by name.
 *
 * One function a variable, so that each reads or writes one property: `b[name]` in shared code is several times slower,
 * and matching does little else.
 */
import type { Bindings, Variable } from "./variables.ts";

/** Reads a variable. */
export const READ: { readonly [V in Variable]: (b: Bindings) => Bindings[V] } = {
  A: (b) => b.A,
  B: (b) => b.B,
  t: (b) => b.t,
  "t'": (b) => b["t'"],
  m: (b) => b.m,
  x: (b) => b.x,
  "x'": (b) => b["x'"],
  y: (b) => b.y,
  a: (b) => b.a,
  X: (b) => b.X,
  Y: (b) => b.Y,
  p: (b) => b.p,
  q: (b) => b.q,
  ms: (b) => b.ms,
  ps: (b) => b.ps,
  e: (b) => b.e,
  π: (b) => b.π,
  h: (b) => b.h,
  k: (b) => b.k,
  l: (b) => b.l,
  why: (b) => b.why,
};

/** Binds a variable; true, since binding never fails. */
export const BIND: { readonly [V in Variable]: (value: Bindings[V], b: Bindings) => boolean } = {
  A: (value, b) => ((b.A = value), true),
  B: (value, b) => ((b.B = value), true),
  t: (value, b) => ((b.t = value), true),
  "t'": (value, b) => ((b["t'"] = value), true),
  m: (value, b) => ((b.m = value), true),
  x: (value, b) => ((b.x = value), true),
  "x'": (value, b) => ((b["x'"] = value), true),
  y: (value, b) => ((b.y = value), true),
  a: (value, b) => ((b.a = value), true),
  X: (value, b) => ((b.X = value), true),
  Y: (value, b) => ((b.Y = value), true),
  p: (value, b) => ((b.p = value), true),
  q: (value, b) => ((b.q = value), true),
  ms: (value, b) => ((b.ms = value), true),
  ps: (value, b) => ((b.ps = value), true),
  e: (value, b) => ((b.e = value), true),
  π: (value, b) => ((b.π = value), true),
  h: (value, b) => ((b.h = value), true),
  k: (value, b) => ((b.k = value), true),
  l: (value, b) => ((b.l = value), true),
  why: (value, b) => ((b.why = value), true),
}; // prettier-ignore
