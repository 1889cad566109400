/** A type of an optional package, or its stand-in where the package is not installed: there the compiler takes the type for `any`. */
// In tuples: asked about the missing type itself, the compiler would answer `any` again.
export type Installed<T, StandIn> = [0] extends [1 & T] ? StandIn : T;
