package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// tool makes a tool of fn as main does.
func tool[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error)) *mcptool.Tool {
	t.Helper()
	made, err := mcptool.New(fn)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// call calls the tool with JSON arguments and decodes its result.
func call[Out any](t *testing.T, tool *mcptool.Tool, args string) (Out, error) {
	t.Helper()
	var out Out
	result, err := tool.Call(t.Context(), []byte(args))
	if err != nil {
		return out, err
	}
	raw, ok := result.Structured.(json.RawMessage)
	if !ok {
		t.Fatalf("structured content is a %T", result.Structured)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return out, nil
}

func TestGetWeather(t *testing.T) {
	t.Parallel()
	lisbon := WeatherOut{
		Place: "Lisbon", Country: "Portugal", When: "year", Unit: "celsius",
		Temperature: 17.4, High: 21.3, Low: 13.5, Precipitation: 775, Conditions: "mild and moderately wet",
		Station: "Geofísico", Period: "1981–2010", Source: "IPMA", Note: note,
	}
	july := lisbon
	july.When, july.Conditions = "July", "warm and dry"
	july.Temperature, july.High, july.Low, july.Precipitation = 23, 27.9, 18.2, 4
	fahrenheit := july
	fahrenheit.Unit = "fahrenheit"
	fahrenheit.Temperature, fahrenheit.High, fahrenheit.Low = 73.5, 82.2, 64.8

	getWeather := tool(t, GetWeather)
	for _, tt := range []struct {
		name, reason, args string
		want               WeatherOut
	}{
		{"year", "no month means the year, no unit celsius", `{"location":"Lisbon, Portugal"}`, lisbon},
		{"month", "a month has its own figures", `{"location":"lisbon","month":7}`, july},
		{"fahrenheit", "converted from the figures, not from their rounding", `{"location":"Lisbon","month":7,"unit":"fahrenheit"}`, fahrenheit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := call[WeatherOut](t, getWeather, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestGetWeatherRefuses(t *testing.T) {
	t.Parallel()
	getWeather := tool(t, GetWeather)
	for _, tt := range []struct{ name, args, want string }{
		{"no location", `{}`, "location"},
		{"empty location", `{"location":""}`, "location"},
		{"endless location", `{"location":"` + strings.Repeat("x", 81) + `"}`, "location"},
		{"unit", `{"location":"Lisbon","unit":"kelvin"}`, "unit"},
		{"month 0", `{"location":"Lisbon","month":0}`, "month"},
		{"month 13", `{"location":"Lisbon","month":13}`, "month"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := call[WeatherOut](t, getWeather, tt.args)
			refused, ok := errors.AsType[*mcptool.ArgumentError](err)
			if !ok || !strings.Contains(refused.Error(), tt.want) {
				t.Errorf("error is %v, want an ArgumentError about %s", err, tt.want)
			}
		})
	}
	t.Run("unknown city", func(t *testing.T) {
		_, err := call[WeatherOut](t, getWeather, `{"location":"Atlantis"}`)
		if _, ok := errors.AsType[*mcptool.ArgumentError](err); err == nil || ok || !strings.Contains(err.Error(), "list_cities") {
			t.Errorf("error is %v, want GetWeather's own, naming list_cities", err)
		}
	})
}

func TestListCities(t *testing.T) {
	t.Parallel()
	listCities := tool(t, ListCities)
	all, err := call[CitiesOut](t, listCities, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := names(cities(t)); !slices.Equal(all.Cities, want) {
		t.Errorf("all cities: %q, want %q", all.Cities, want)
	}
	for _, tt := range []struct {
		country string
		want    []string
	}{
		{"Japan", []string{"Osaka, Japan", "Tokyo, Japan"}},
		{"brasil", []string{}},
		{"TÜRKIYE", []string{"Ankara, Türkiye"}},
	} {
		got, err := call[CitiesOut](t, listCities, `{"country":"`+tt.country+`"}`)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got.Cities); diff != "" {
			t.Errorf("cities of %s (-want +got):\n%s", tt.country, diff)
		}
	}
}

// TestCall serves call.jsonl, a call as sent by a client.
func TestCall(t *testing.T) {
	t.Parallel()
	in, err := os.Open("call.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	tools := new(mcptool.Registry)
	if err := tools.Add(tool(t, GetWeather), tool(t, ListCities)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := stdio.Serve(t.Context(), &runtime.Server{Tools: tools}, stdio.In(in), stdio.Out(&out)); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct {
			IsError           bool
			StructuredContent WeatherOut
		}
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("the output is not one JSON message: %v\n%s", err, out.Bytes())
	}
	if got := answer.Result; got.IsError || got.StructuredContent.Place != "Lisbon" || got.StructuredContent.When != "July" {
		t.Errorf("answer %s, want the climate of Lisbon in July", out.Bytes())
	}
}
