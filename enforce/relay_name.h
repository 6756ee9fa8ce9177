/* relay_name.h - host names and addresses as clients write them, one spelling for each; pure */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_BYTES = 256 }; /* 253 and NUL, rounded; RFC 1035 2.3.4 */

enum name_kind { NAME_BAD, NAME_HOST, NAME_V4, NAME_V6 };

/**
 * name_clean() - lower-case, take one trailing dot off, check labels; addresses in their only spelling
 * @bracketed: the text stood in brackets, so it has to be IPv6
 * @why:       set to static words on NAME_BAD
 *
 * Whatever a C library would take for an address but inet_pton(3) does not (hex, octal, short and
 * decimal forms, zone ids) is refused. A v4-mapped address becomes the IPv4 one. Non-ASCII is refused.
 */
enum name_kind name_clean(char out[NAME_MAX_BYTES], const char *p, size_t len, bool bracketed,
                          const char **why);

/**
 * name_authority() - "host", "host:port", "[v6]:port" into its parts
 * @port_default: for a missing port; 0: the port is required
 */
enum name_kind name_authority(char host[NAME_MAX_BYTES], uint16_t *port, const char *p, size_t len,
                              uint16_t port_default, const char **why);
