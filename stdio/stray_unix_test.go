//go:build unix

package stdio_test

import (
	"log" //nolint:depguard // programs print with package log
	"os"
	"syscall"
)

// printWithoutPrint writes to standard output without package fmt.
func printWithoutPrint() error {
	log.New(os.Stdout, "", 0).Print("stray log")
	if _, err := syscall.Write(int(os.Stdout.Fd()), []byte("stray descriptor\n")); err != nil {
		return err
	}
	device, err := os.OpenFile("/dev/stdout", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer device.Close()
	_, err = device.WriteString("stray device\n")
	return err
}
