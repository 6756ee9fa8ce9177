/* base.h - words every file uses: ownership, array length, attributes */
#pragma once

/*
 * Every owning type T is a struct whose all-zero value is empty, with an
 * idempotent  void T_drop(struct T *).  OWN(T) drops it at end of scope.
 */
#define OWN(T) __attribute__((cleanup(T##_drop))) struct T

/* Hand an owned value to someone else and leave the local empty. */
#define TAKE(x) \
	__extension__({ __typeof__(x) taken_ = (x); (x) = (__typeof__(x)){ 0 }; taken_; })

#define LEN(a)          (sizeof(a) / sizeof((a)[0]))
#define PRINTF(fmt, at) __attribute__((format(printf, fmt, at)))
#define MUST            __attribute__((warn_unused_result))
#define UNUSED          __attribute__((unused))

#define MIN(a, b) __extension__({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define MAX(a, b) __extension__({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
