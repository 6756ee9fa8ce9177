/* addon.c - a native module that knows one number */
#include <node_api.h>

static napi_value answer(napi_env env, napi_callback_info info)
{
	(void)info;
	napi_value n;
	napi_create_int32(env, 42, &n);
	return n;
}

NAPI_MODULE_INIT()
{
	napi_value f;
	napi_create_function(env, "answer", NAPI_AUTO_LENGTH, answer, NULL, &f);
	napi_set_named_property(env, exports, "answer", f);
	return exports;
}
