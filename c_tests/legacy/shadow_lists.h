/* Rows and blocks damaged in every way that a shadow has to find. */
#pragma once

#include "support/recorded_rows.h"

void shadow_lists (const SNAPSHOT *snapshot, RECORDED_ROWS *legacy, ldy_shadow *shadow);
