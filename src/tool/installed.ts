/** A type of an optional package, or a substitute where the package is not installed and the compiler sees `any`. */
// Wrapped in tuples: a condition on the missing type itself would be `any` again.
export type Installed<T, StandIn> = [0] extends [1 & T] ? StandIn : T;
