// Package measured has the types that benchmarks measure with, so that all of them mean
// the same by a small call and a large one. Only tests and benchmarks import it.
package measured
