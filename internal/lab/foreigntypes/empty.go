package main

import (
	"reflect"
	"strings"
)

// withEmptyLists returns a pointer to a copy of a value, in which nil lists and maps are empty. Values with methods are kept,
// because the methods write them.
func withEmptyLists(v reflect.Value) reflect.Value {
	dst := reflect.New(v.Type().Elem())
	dst.Elem().Set(v.Elem())
	replaceNils(dst.Elem(), 0)
	return dst
}

func replaceNils(v reflect.Value, depth int) {
	t := v.Type()
	if !v.CanSet() || depth > 4*fillDepth || writes(t) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			dst := reflect.New(v.Elem().Type())
			dst.Elem().Set(v.Elem())
			replaceNils(dst.Elem(), depth+1)
			if v.Kind() == reflect.Interface {
				dst = dst.Elem()
			}
			v.Set(dst)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if _, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); !strings.Contains(options, "omitzero") || !v.Field(i).IsZero() {
				replaceNils(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		dst := reflect.MakeSlice(t, v.Len(), v.Len())
		reflect.Copy(dst, v)
		v.Set(dst)
		for i := range v.Len() {
			replaceNils(v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			replaceNils(v.Index(i), depth+1)
		}
	case reflect.Map:
		dst := reflect.MakeMap(t)
		for key, value := range v.Seq2() {
			element := reflect.New(t.Elem()).Elem()
			element.Set(value)
			replaceNils(element, depth+1)
			dst.SetMapIndex(key, element)
		}
		v.Set(dst)
	default:
	}
}
