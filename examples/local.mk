# Examples see what users see: include/weft and libweft.
