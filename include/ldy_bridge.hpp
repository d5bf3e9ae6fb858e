/* ldy_bridge.hpp: ldy_bridge.h for C++17, the rows of a LOCDYN of ldy.h for the contact solvers and factors of ldy.hpp */

#ifndef LDY_BRIDGE_HPP
#define LDY_BRIDGE_HPP

#include "ldy.hpp"
#include "ldy_bridge.h"

namespace ldy {

/* Copies of the rows of a LOCDYN, for the functions above, contact solvers and factors; see ldy_locdyn_rows_copy. */
class locdyn_rows {
public:
  locdyn_rows ()
  {
    ldy_locdyn_rows *raw = nullptr;
    ldy::detail::check (ldy_locdyn_rows_create (&raw));
    raw_.reset (raw);
  }

  /* Copy the rows. The copy is valid until the next one. */
  ldy::rows copy (const locdyn *dynamics)
  {
    ldy::rows copied;
    copied.raw_.size = sizeof (ldy_rows);
    ldy::detail::check (ldy_locdyn_rows_copy (raw_.get (), dynamics, &copied.raw_));
    return copied;
  }

  /* Return, or set, the reactions of its constraints. */
  void reactions (const locdyn *dynamics, view<double> R) const
  {
    ldy::detail::check (ldy_locdyn_rows_reactions (raw_.get (), dynamics, R.data (), R.size ()));
  }

  void set_reactions (const locdyn *dynamics, values R) const
  {
    ldy::detail::check (ldy_locdyn_rows_set_reactions (raw_.get (), dynamics, R.data (), R.size ()));
  }

private:
  struct destroyer {
    void operator() (ldy_locdyn_rows *raw) const noexcept { ldy_locdyn_rows_destroy (raw); }
  };

  std::unique_ptr<ldy_locdyn_rows, destroyer> raw_;
};

} // namespace ldy

#endif
