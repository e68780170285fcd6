// Package measured has the types that benchmarks use, so that a small call and a large one are the same in all of them. Only
// tests and benchmarks import it.
package measured
