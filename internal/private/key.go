package private

// Key is the parameter of the function Internal of a package. Programs cannot import this package, so they cannot
// name the type; a generic function that infers it can still make a value, which nobody does by accident.
type Key struct {
	_ [0]func() // otherwise a struct{}{} would be assignable
}
