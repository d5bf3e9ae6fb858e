/* Picture of a block matrix. */
#ifndef PATTERN_H
#define PATTERN_H

/* Writes an SVG file: a square a block, colored by the logarithm of its norm, norm[rows*i+j] for block (i,j), 0 where
 * there is none; the diagonal is outlined. Returns 0 if the file cannot be written (errno says why). */
int pattern_draw (const char *path, const char *title, int rows, const double *norm);

#endif
