const SWEEPS = 8;

/** An axis along which points differ, and how much they do. */
export interface Axis {
  readonly direction: Float64Array;
  readonly variance: number;
}

/** The axes along which points differ most, by Jacobi's method, the largest first. Points must lie around 0. */
export function findPrincipalAxes(points: readonly Float64Array[]): Axis[] {
  const size = points[0]?.length ?? 0;
  const matrix = spread(points, size);
  const axes = Array.from({ length: size }, (_, row) => Float64Array.from({ length: size }, (_, at) => +(at === row)));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(matrix, axes, [p, q]);
  }
  return axes
    .map((direction, row) => ({ direction, variance: matrix[row]?.[row] ?? 0 }))
    .toSorted((a, b) => b.variance - a.variance);
}

function spread(points: readonly Float64Array[], size: number): Float64Array[] {
  const matrix = Array.from({ length: size }, () => new Float64Array(size));
  for (const point of points) {
    for (let row = 0; row < size; row++) {
      const line = matrix[row] ?? point;
      const factor = point[row] ?? 0;
      for (let at = 0; at < size; at++) line[at] = (line[at] ?? 0) + factor * (point[at] ?? 0);
    }
  }
  return matrix;
}

/** Turns two axes so that the points no longer vary together along them. */
function rotate(
  matrix: readonly Float64Array[],
  axes: readonly Float64Array[],
  [p, q]: readonly [number, number],
): void {
  const [rowP, rowQ] = [matrix[p], matrix[q]];
  const [axisP, axisQ] = [axes[p], axes[q]];
  const shared = rowP?.[q] ?? 0;
  if (shared === 0 || rowP === undefined || rowQ === undefined || axisP === undefined || axisQ === undefined) return;
  const angle = 0.5 * Math.atan2(2 * shared, (rowP[p] ?? 0) - (rowQ[q] ?? 0));
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  turn(rowP, rowQ, [cos, sin]);
  for (const row of matrix) {
    const a = row[p] ?? 0;
    const b = row[q] ?? 0;
    row[p] = cos * a + sin * b;
    row[q] = cos * b - sin * a;
  }
  turn(axisP, axisQ, [cos, sin]);
}

function turn(one: Float64Array, other: Float64Array, [cos, sin]: readonly [number, number]): void {
  for (let at = 0; at < one.length; at++) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    one[at] = cos * a + sin * b;
    other[at] = cos * b - sin * a;
  }
}
