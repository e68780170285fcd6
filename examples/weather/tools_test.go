package main

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
)

// tools are those that main registers.
func tools(tb testing.TB) *mcptool.Registry {
	tb.Helper()
	registry := &mcptool.Registry{}
	for _, made := range []func() (*mcptool.Tool, error){
		func() (*mcptool.Tool, error) { return mcptool.New(GetWeather) },
		func() (*mcptool.Tool, error) { return mcptool.New(ListCities) },
	} {
		tool, err := made()
		if err == nil {
			err = registry.Add(tool)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return registry
}

func TestTools(t *testing.T) {
	mcptooltest.Check(t, tools(t), mcptooltest.Arguments("get_weather", WeatherIn{Location: "Lisbon", Unit: "celsius", Month: 7}))
}

func BenchmarkTools(b *testing.B) { mcptooltest.Bench(b, tools(b)) }

func FuzzGetWeather(f *testing.F) {
	weather, _ := tools(f).Lookup("get_weather")
	mcptooltest.Fuzz(f, weather)
}

func TestSession(t *testing.T) {
	srv := &runtime.Server{Name: "weather", Version: "1", Tools: tools(t)}
	mcptooltest.Replay(t, srv, "testdata/lisbon.txt")
}

func TestCompatible(t *testing.T) {
	mcptooltest.AssertCompatible(t, tools(t), "testdata/tools.snapshot.json")
}
