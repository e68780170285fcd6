package wellknown_test

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema/wellknown"
)

var _ = wellknown.Types()

// A declaration registers the schemas for the whole program.
func ExampleTypes() {
	fmt.Println(slices.Contains(wellknown.Names(), "github.com/shopspring/decimal.Decimal"))
	// Output: true
}
