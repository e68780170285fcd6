package private

import "fmt"

// TooLongError means that a value was not encoded completely, because its JSON has more than Most bytes.
type TooLongError struct{ Most int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the result has more than %d bytes of JSON", e.Most)
}
