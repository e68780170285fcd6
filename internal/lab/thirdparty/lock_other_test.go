//go:build !unix

package thirdparty_test

func lock(string) (func(), error) { return func() {}, nil }
