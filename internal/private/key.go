package private

// Key is the parameter of the function Internal of a package. Programs cannot import this package, so they have no value
// of the type.
type Key struct {
	_ [0]func() // otherwise a struct{}{} would be assignable
}
