/* sockaddr.h - socket addresses as bytes from a stranger into family, text and port; pure */
#pragma once

#include "profiles/access.h"

enum { SOCKADDR_TEXT = 128 * 4 };

/**
 * struct peer - a decoded address
 * @text: path (unix), "@name" with NULs kept out (abstract), "1.2.3.4:80", "[::1]:80", or "family N"
 * @loopback: 127/8, ::1 and the unspecified addresses, which Linux treats alike
 */
struct peer {
	enum family family;
	uint16_t port;
	bool loopback;
	char text[SOCKADDR_TEXT];
};

/* 0; -EINVAL when @len holds no address of its family (the kernel refuses it too, or it is unnamed). */
int sockaddr_decode(struct peer *out, const void *bytes, size_t len);
