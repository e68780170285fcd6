package reflectschema_test

import "reflect"

// tagged returns a struct with int fields A, B, … that have these tags. Tags that go vet refuses can only be tested
// like this.
func tagged(tags ...reflect.StructTag) any {
	fields := make([]reflect.StructField, len(tags))
	for i, tag := range tags {
		fields[i] = reflect.StructField{Name: string(rune('A' + i)), Type: reflect.TypeFor[int](), Tag: tag}
	}
	return reflect.Zero(reflect.StructOf(fields)).Interface()
}
