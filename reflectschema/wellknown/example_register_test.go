package wellknown_test

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema/wellknown"
)

func init() {
	wellknown.Register()
}

// A declaration registers the schemas for the whole program.
func ExampleRegister() {
	fmt.Println(slices.Contains(wellknown.Names(), "github.com/shopspring/decimal.Decimal"))
	// Output: true
}
