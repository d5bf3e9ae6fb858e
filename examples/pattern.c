#include "pattern.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define LEFT 76   /* places of the grid and of the legend, in pixels */
#define TOP 104
#define SIDE 640
#define LEGEND_LEFT (LEFT + SIDE + 40)
#define LEGEND_WIDTH 24
#define WIDTH (LEGEND_LEFT + LEGEND_WIDTH + 110)
#define HEIGHT (TOP + SIDE + 64)

/* ---- scale and colors */

typedef struct {
  double low, high; /* decimal logarithms of the smallest and the largest norm */
  int blocks;
} SCALE;

static SCALE scale_of (int rows, const double *norm)
{
  SCALE scale = { HUGE_VAL, - HUGE_VAL, 0 };
  int i;

  for (i = 0; i < rows * rows; i ++) {
    if (!(norm[i] > 0)) continue;
    scale.low = fmin (scale.low, log10 (norm[i]));
    scale.high = fmax (scale.high, log10 (norm[i]));
    scale.blocks ++;
  }
  if (scale.blocks == 0) scale.low = scale.high = 0;
  return scale;
}

static double place (const SCALE *scale, double logarithm)
{
  return scale->high > scale->low ? (logarithm - scale->low) / (scale->high - scale->low) : 1;
}

typedef struct {
  char text[8];
} COLOUR;

/* From pale for 0 to dark for 1, through colors that also differ in a grey print. */
static COLOUR colour (double t)
{
  static const int stops[6][3] = { { 253, 231, 175 }, { 250, 190, 110 }, { 238, 130, 98 },
                                   { 190, 75, 120 },  { 115, 45, 125 },  { 40, 20, 85 } };
  double at = fmin (fmax (t, 0), 1) * 5;
  int stop = at < 5 ? (int) at : 4, c;
  unsigned char rgb[3];
  COLOUR result;

  for (c = 0; c < 3; c ++) {
    rgb[c] = (unsigned char) lround (stops[stop][c] + (at - stop) * (stops[stop + 1][c] - stops[stop][c]));
  }
  snprintf (result.text, sizeof result.text, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
  return result;
}

/* ---- pieces of SVG */

static void text (FILE *svg, double x, double y, int size, const char *anchor, const char *format, ...)
{
  va_list arguments;

  fprintf (svg, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\">", x, y, size, anchor);
  va_start (arguments, format);
  vfprintf (svg, format, arguments);
  va_end (arguments);
  fprintf (svg, "</text>\n");
}

static void frame (FILE *svg, int x, int y, int width, int height, const char *attributes)
{
  fprintf (svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n", x, y, width, height, attributes);
}

static void draw_block (FILE *svg, int rows, int i, int j, double norm, const SCALE *scale)
{
  double cell = (double) SIDE / rows;

  fprintf (svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", LEFT + j * cell + 0.5, TOP + i * cell + 0.5,
           cell - 1, cell - 1);
  fprintf (svg, " fill=\"%s\"%s>", colour (place (scale, log10 (norm))).text,
           i == j ? " stroke=\"#000\" stroke-width=\"1.4\"" : "");
  fprintf (svg, "<title>row %d, column %d: %.3e</title></rect>\n", i + 1, j + 1, norm);
}

/* Numbers of rows and columns, at most about ten of them. */
static void draw_numbers (FILE *svg, int rows)
{
  int step = rows <= 12 ? 1 : rows <= 60 ? 5 : (rows / 50 + 1) * 10, i;
  double cell = (double) SIDE / rows;

  for (i = 1; i <= rows; i ++) {
    if (i != 1 && i % step) continue;
    text (svg, LEFT - 8, TOP + (i - 0.5) * cell + 5, 14, "end", "%d", i);
    text (svg, LEFT + (i - 0.5) * cell, TOP - 8, 14, "middle", "%d", i);
  }
  text (svg, LEFT + SIDE / 2.0, TOP + SIDE + 26, 15, "middle", "constraint");
  fprintf (svg, "<g transform=\"translate(26,%d) rotate(-90)\">", TOP + SIDE / 2);
  text (svg, 0, 0, 15, "middle", "constraint, in the order of rows");
  fprintf (svg, "</g>\n");
}

/* Marks at 1, 2 and 5 times the powers of ten, or at these alone if there are many. */
static void draw_legend_marks (FILE *svg, const SCALE *scale)
{
  static const int digits[] = { 1, 2, 5 };
  int marks = scale->high - scale->low > 4 ? 1 : 3, decade, d;
  double value, y;

  for (decade = (int) floor (scale->low); decade <= (int) ceil (scale->high); decade ++) {
    for (d = 0; d < marks; d ++) {
      value = decade + log10 (digits[d]);
      if (value < scale->low || value > scale->high) continue;
      y = TOP + SIDE * (1 - place (scale, value));
      fprintf (svg, "<path d=\"M%d %.1fh6\" stroke=\"#000\"/>\n", LEGEND_LEFT + LEGEND_WIDTH, y);
      text (svg, LEGEND_LEFT + LEGEND_WIDTH + 11, y + 5, 14, "start",
            "%d&#183;10<tspan dy=\"-6\" font-size=\"11\">%s%d</tspan>", digits[d], decade < 0 ? "&#8722;" : "",
            decade < 0 ? - decade : decade);
    }
  }
}

static void draw_legend (FILE *svg, const SCALE *scale)
{
  int stop;

  fprintf (svg, "<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n");
  for (stop = 0; stop <= 20; stop ++) {
    fprintf (svg, "<stop offset=\"%d%%\" stop-color=\"%s\"/>\n", 5 * stop, colour (stop / 20.0).text);
  }
  fprintf (svg, "</linearGradient></defs>\n");
  frame (svg, LEGEND_LEFT, TOP, LEGEND_WIDTH, SIDE, "fill=\"url(#scale)\" stroke=\"#000\"");
  text (svg, LEGEND_LEFT, TOP - 14, 14, "start", "norm of a block");
  draw_legend_marks (svg, scale);
}

static void draw_all (FILE *svg, const char *title, int rows, const double *norm)
{
  SCALE scale = scale_of (rows, norm);
  int i, j;

  fprintf (svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", WIDTH, HEIGHT);
  fprintf (svg, "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" fill=\"#222\">\n", WIDTH, HEIGHT);
  frame (svg, 0, 0, WIDTH, HEIGHT, "fill=\"#fff\"");
  text (svg, LEFT, 36, 24, "start", "%s", title);
  text (svg, LEFT, 62, 15, "start", "%d constraints; %d of %d blocks (3 &#215; 3) are there: those of constraints that share a body", rows,
        scale.blocks, rows * rows);
  frame (svg, LEFT, TOP, SIDE, SIDE, "fill=\"#f4f4f2\" stroke=\"#888\"");
  for (i = 0; i < rows; i ++) {
    for (j = 0; j < rows; j ++) {
      if (norm[rows * i + j] > 0) draw_block (svg, rows, i, j, norm[rows * i + j], &scale);
    }
  }
  draw_numbers (svg, rows);
  draw_legend (svg, &scale);
  fprintf (svg, "</svg>\n");
}

int pattern_draw (const char *path, const char *title, int rows, const double *norm)
{
  FILE *svg = fopen (path, "w");
  int failed;

  if (!svg) return 0;
  draw_all (svg, title, rows, norm);
  failed = ferror (svg);
  return fclose (svg) == 0 && !failed;
}
