package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type CompareIn struct {
	Cities []string `json:"cities" jsonschema:"minItems=1,maxItems=10"`
}

// CompareTemperatures looks up all cities at once. A panic in one of the goroutines is an error of the call.
func CompareTemperatures(ctx context.Context, in CompareIn) (map[string]float64, error) {
	degrees := make([]float64, len(in.Cities))
	var lookups []func(context.Context) error
	for i, city := range in.Cities {
		lookups = append(lookups, func(ctx context.Context) (err error) {
			degrees[i], err = temperature(ctx, city)
			return err
		})
	}
	if err := mcptool.Go(ctx, lookups...); err != nil {
		return nil, err
	}
	found := make(map[string]float64)
	for i, city := range in.Cities {
		found[city] = degrees[i]
	}
	return found, nil
}

func temperature(_ context.Context, city string) (float64, error) {
	known := map[string]float64{"Lisbon": 21.5, "Porto": 18}
	degrees, ok := known[city]
	if !ok {
		return 0, mcptool.Errorf("there is no city %q", city)
	}
	return degrees, nil
}

func ExampleGo() {
	tool, err := mcptool.New(CompareTemperatures)
	if err != nil {
		panic(err)
	}
	for _, args := range []string{`{"cities":["Lisbon","Porto"]}`, `{"cities":["Lisbon","Atlantis"]}`} {
		result, err := tool.Call(context.Background(), []byte(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.Structured)
	}
	// Output:
	// {"Lisbon":21.5,"Porto":18}
	// there is no city "Atlantis"
}
