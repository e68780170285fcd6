package main

import "testing"

func TestTemperature(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		celsius float64
		unit    string
		want    float64
	}{
		{0, "celsius", 0},
		{0, "fahrenheit", 32},
		{100, "fahrenheit", 212},
		{-40, "fahrenheit", -40},
		{17.449, "celsius", 17.4},
		{17.45, "fahrenheit", 63.4},
	} {
		if got := temperature(tt.celsius, tt.unit); got != tt.want {
			t.Errorf("temperature(%v, %s) is %v, want %v", tt.celsius, tt.unit, got, tt.want)
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mean, precipitation float64
		months              int
		want                string
	}{
		{-0.1, 29, 1, "freezing and dry"},
		{0, 30, 1, "cold and moderately wet"},
		{9.9, 99, 1, "cold and moderately wet"},
		{10, 100, 1, "mild and wet"},
		{18, 0, 1, "warm and dry"},
		{25, 1199, 12, "hot and moderately wet"},
		{25, 1200, 12, "hot and wet"},
	} {
		n := normal{high: tt.mean, low: tt.mean, precipitation: tt.precipitation, months: tt.months}
		if got := conditions(n); got != tt.want {
			t.Errorf("%v °C, %v mm in %d months: %q, want %q", tt.mean, tt.precipitation, tt.months, got, tt.want)
		}
	}
}
