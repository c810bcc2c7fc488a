// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a file of zstd frames with nothing but libzstd and prints the content of each whole frame
 * in a line of its own. Exits 3 when the last one is incomplete, 1 when one is damaged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	size_t in_size = ZSTD_DStreamInSize(), out_size = ZSTD_DStreamOutSize(), n, left = 0;
	char *bytes = malloc(in_size), *text = malloc(out_size);
	char *frame = NULL;
	size_t frame_n = 0;

	if (!in || !zstd || !bytes || !text)
		return 2;
	while ((n = fread(bytes, 1, in_size, in))) {
		ZSTD_inBuffer from = { bytes, n, 0 };

		while (from.pos < from.size || left) {
			ZSTD_outBuffer to = { text, out_size, 0 };
			size_t before = from.pos;

			left = ZSTD_decompressStream(zstd, &to, &from);
			if (ZSTD_isError(left)) {
				fprintf(stderr, "%s\n", ZSTD_getErrorName(left));
				return 1;
			}
			frame = realloc(frame, frame_n + to.pos + 1);
			if (!frame)
				return 2;
			for (size_t i = 0; i < to.pos; i++)
				frame[frame_n + i] = text[i];
			frame_n += to.pos;
			if (left == 0) {
				/* Only what is whole is shown. */
				frame[frame_n++] = '\n';
				fwrite(frame, 1, frame_n, stdout);
				frame_n = 0;
			} else if (from.pos == from.size && to.pos < to.size) {
				break;
			}
			if (from.pos == before && to.pos == 0 && left)
				break;
		}
	}
	return left ? 3 : 0;
}
